// The programs of tests/seeds in node: what three texts on Transformers show in PyTorch, written with this package.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceOf } from '../seeds/models.mjs';
import { run } from '../seeds/run.mjs';
import { texts } from '../seeds/texts.mjs';
import { missing, openGolden } from './golden-modules.mjs';

const places = { model: sourceOf, readGolden: async (name) => (missing ? null : openGolden(name)) };

for (const [text, programs] of Object.entries(texts)) {
  test(`the programs of the text "${text}"`, async (t) => {
    let compared = 0, skipped = 0;
    for (const [name, program] of Object.entries(programs)) {
      await t.test(name, async (part) => {
        const result = await run(program, places);
        compared += result.compared;
        skipped += result.skipped.length;
        for (const reason of result.skipped) part.diagnostic(`skipped: ${reason}`);
      });
    }
    if (!missing) assert.ok(compared > 0, 'nothing of PyTorch was compared');
    t.diagnostic(`${compared} tensors of PyTorch compared, ${skipped} comparisons skipped`);
  });
}
