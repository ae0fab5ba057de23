// The packed package in each node that it promises to run in: the library in this thread and in a worker, the single file, the program.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { MAJORS, nodeOf } from '../../wasm/setup/nodes.mjs';
import { MODELS, TRANSLATION, installed } from './projects.mjs';

const EN_FR = path.join(MODELS, 'en-fr'), TEXT = 'Where is the station?';

const WORKER = `
import { attention, capabilities, loadModel } from 'webformer';
import * as single from 'webformer/single-file';
for (const load of [loadModel, single.loadModel]) {
  const model = await load(process.argv[2], { worker: true });
  console.log(await model.translate(process.argv[3]).text());
  model.dispose();
}
const row = { data: Float32Array.of(1, 2), shape: [1, 2] };
console.log((await attention(row, row, row)).output.data.join(), (await capabilities()).build);
`;

test('the package runs in every node that it promises', async (t) => {
  const folder = await installed(t, 'node');
  writeFileSync(path.join(folder, 'worker.js'), WORKER);
  for (const major of MAJORS)
    await t.test(`node ${major}`, () => {
      const run = (...args) => {
        const { status, stdout, stderr } = spawnSync(nodeOf(major), args, { cwd: folder, encoding: 'utf8' });
        assert.equal(stderr, '');
        assert.equal(status, 0);
        return stdout;
      };
      assert.match(run('--version'), new RegExp(`^v${major}\\.`));
      assert.equal(run('translate.js', EN_FR, TEXT), `${TRANSLATION}\n`);
      const build = major < 24 ? 'simd|relaxed-simd' : 'relaxed-simd';
      assert.match(run('worker.js', EN_FR, TEXT), new RegExp(`^(?:${TRANSLATION.replace('?', '\\?')}\n){2}1,2 (${build})\n$`));
      assert.equal(run('node_modules/webformer/dist/cli/main.js', 'translate', EN_FR, TEXT), `${TRANSLATION}\n`);
    });
});
