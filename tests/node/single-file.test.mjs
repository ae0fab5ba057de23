// `webformer/single-file` alone in a folder: what needs no other file, in this thread and in a worker.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as whole from 'webformer';
import { bert, llama } from '../fixtures/make_models.mjs';
import { temporaryFolder } from './support.mjs';

let single;
before(async (t) => {
  const file = path.join(temporaryFolder(t), 'webformer.mjs');
  copyFileSync(fileURLToPath(import.meta.resolve('webformer/single-file')), file);
  single = await import(pathToFileURL(file).href);
});

test('it has the names of the whole package', () => assert.deepEqual(Object.keys(single), Object.keys(whole)));

for (const worker of [false, true])
  test(`a model gives the numbers of the whole package, ${worker ? 'in a worker' : 'in this thread'}`, async () => {
    const models = await Promise.all([whole, single].map(({ loadModel }) => loadModel(llama(), { worker })));
    const [want, found] = await Promise.all(
      models.map(async (model) => {
        const { logits } = await model.forward({ inputIds: [[0, 40, 50]] });
        return { text: await model.generate('Zoë', { maxNewTokens: 8 }).text(), logits: Array.from(logits.data) };
      }),
    );
    models.forEach((model) => model.dispose());
    assert.equal(found.text, want.text);
    // The whole package may have chosen the relaxed build.
    found.logits.forEach((value, i) => assert.ok(Math.abs(value - want.logits[i]) < 1e-4));
  });

test('what saves is inside the worker too', async () => {
  const model = await single.loadModel(bert(), { worker: true });
  assert.ok((await model.save()).get('model.safetensors').length > 0);
  model.dispose();
});

test('training and the pieces are inside', async () => {
  const tokenizer = await single.trainTokenizer('bpe', ['lowest lower newer wider'], { vocabSize: 14 });
  assert.equal(tokenizer.encode('lower newest').tokens.join(' '), 'lo wer n e w e s t');
  const row = { data: Float32Array.of(1, 2), shape: [1, 2] };
  assert.deepEqual([...(await single.attention(row, row, row)).output.data], [1, 2]);
});

test('it says which build it has', async () => {
  const { build, reasons } = await single.capabilities();
  assert.equal(build, 'simd');
  assert.match(reasons.join(' '), /single file has no relaxed-SIMD build|no relaxed SIMD/);
});

test("its worker's script is of the build of the package's", async () => {
  const workerUrl = new URL('worker.js', import.meta.resolve('webformer'));
  const model = await single.loadModel(bert(), { worker: true, workerUrl });
  assert.deepEqual((await model.embed('fox')).shape, [1, 16]);
  model.dispose();
});
