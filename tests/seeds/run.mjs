// Runs one program of this folder, in node or in a page.
import { ok } from './check.mjs';

/**
 * @typedef {object} Kit what a program is given
 * @property {<T>(thing: T) => T} use disposes of a layer, model or pipeline when the program ends
 * @property {(name: string) => unknown} model the source of a small model, by a name of models.mjs
 * @property {(name: string, compare: (golden) => Promise<void>) => Promise<void>} golden compares with a file of golden/modules
 * @property {(reason: string) => void} skip says what was not compared
 */

/**
 * @param {(kit: Kit) => Promise<void>} program
 * @param {{ readGolden(name: string): Promise<object | null>, model(name: string): unknown }} places
 * @returns {Promise<{ compared: number, skipped: string[] }>} how many tensors of golden files were compared
 */
export async function run(program, { readGolden, model }) {
  const owned = [], skipped = [];
  let compared = 0;
  const kit = {
    model,
    use(thing) {
      owned.push(thing);
      return thing;
    },
    skip: (reason) => void skipped.push(reason),
    async golden(name, compare) {
      const golden = await readGolden(name);
      if (!golden) return kit.skip(`no golden/modules/${name}`);
      await compare(golden);
      ok(golden.compared > 0, `${name}: nothing was compared`);
      compared += golden.compared;
    },
  };
  try {
    await program(kit);
  } finally {
    for (const thing of owned.reverse()) await thing.dispose();
  }
  return { compared, skipped };
}
