// The packed package in fresh projects of the common bundlers: each is built, its page translates in a worker, and finds the part of the
// module that comes later, there and in the worker.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { built, checkPage, pages } from './projects.mjs';

/** `script` starts the page, and `site` is the folder where that lies once it is built; `versions` replaces some of the project's. */
const PROJECTS = [
  { name: 'vite', script: 'main.js', site: 'dist' },
  { name: 'vite', script: 'main.js', site: 'dist', versions: { vite: '7.3.8' } },
  { name: 'rollup', script: 'main.js', site: '.' },
  { name: 'esbuild', script: 'main.js', site: '.' },
  { name: 'webpack', script: 'src/index.js', site: '.' },
  { name: 'next', script: 'app/page.js', site: 'out', inlineScripts: true },
];

/** Bundled with the rest, for the test to call on the page: the first needs the module's second part there, the other in the worker. */
const PROBES = `
import { attention, loadModel as load } from 'webformer';
globalThis.attend = async (data) => {
  const row = { data: Float32Array.from(data), shape: [1, data.length] };
  return [...(await attention(row, row, row)).output.data];
};
globalThis.save = async (folder) => {
  const model = await load(folder);
  const files = await model.save();
  model.dispose();
  return [...files.keys()];
};
`;

const show = pages();

for (const { name, script, site, versions, inlineScripts } of PROJECTS)
  test(`a page built by ${name} ${versions?.[name] ?? ''} translates in a worker, and has the module's second part`, async (t) => {
    const folder = await built(t, name, (project) => {
      appendFileSync(path.join(project, script), PROBES);
      const file = path.join(project, 'package.json'), manifest = JSON.parse(readFileSync(file, 'utf8'));
      Object.assign(manifest.devDependencies ?? {}, versions);
      writeFileSync(file, JSON.stringify(manifest));
    });
    const shown = await show(t, path.join(folder, site), { inlineScripts });
    checkPage(shown);
    assert.deepEqual(await shown.page.evaluate(() => globalThis.attend([1, 2])), [1, 2]);
    const files = await shown.page.evaluate(() => globalThis.save('/models/en-fr/'));
    assert.ok(files.includes('config.json') && files.includes('model.safetensors'), files.join());
    assert.equal(new Set(shown.asked.filter((file) => file.endsWith('.wasm'))).size, 2);
    assert.deepEqual(shown.faults, []);
  });
