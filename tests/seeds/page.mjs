// Runs a program of this folder in the page beside it.
import { GoldenModule } from '../fixtures/golden-module.mjs';
import { run } from './run.mjs';
import { texts } from './texts.mjs';

const get = async (name) => {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return response;
};

async function readGolden(name) {
  const [numbers, about] = await Promise.all(['safetensors', 'json'].map((ending) => get(`/golden/${name}.${ending}`)));
  return new GoldenModule(new Uint8Array(await numbers.arrayBuffer()), await about.json());
}

/** @param {boolean} hasGoldens whether the folder golden/modules is there */
export const runProgram = (text, name, hasGoldens) =>
  run(texts[text][name], {
    readGolden: hasGoldens ? readGolden : async () => null,
    model: (of) => new URL(`/models/${of}/`, location.href),
  });
