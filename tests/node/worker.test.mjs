import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { loadModel, loadTokenizer } from 'webformer';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { opened, rejects, temporaryFolder } from './support.mjs';

const inWorker = { worker: true };
const WORKER = new URL('worker.js', import.meta.resolve('webformer')).href;
const long = { maxNewTokens: 4000, minNewTokens: 4000 };

/** A worker's script of one line. */
function script(t, code) {
  const file = path.join(temporaryFolder(t), 'worker.mjs');
  writeFileSync(file, code);
  return pathToFileURL(file);
}

test('a model in a worker answers as one in this thread', async (t) => {
  const [here, there] = await Promise.all([opened(t, llama()), opened(t, llama(), inWorker)]);
  assert.deepEqual(there.info, here.info);
  const inputs = { inputIds: [[0, 40, 50]] };
  assert.deepEqual(await there.forward(inputs, { attentions: true }), await here.forward(inputs, { attentions: true }));
  const options = { maxNewTokens: 12, topCandidates: 2 };
  const [a, b] = await Promise.all(
    [here, there].map(async (model) => {
      const generation = model.generate('Zoë 🙂', options),
        items = [];
      for await (const item of generation) items.push(item);
      const { usage, ...result } = await generation.result();
      return { items, result, made: usage.newTokens };
    }),
  );
  assert.deepEqual(a, b);
});

test('a worker translates and embeds', async (t) => {
  const [translator, encoder] = await Promise.all([opened(t, marian(), inWorker), opened(t, bert(), inWorker)]);
  assert.equal(typeof (await translator.translate('I love cats.', { maxNewTokens: 4 }).text()), 'string');
  assert.deepEqual((await encoder.embed(['the fox', 'grapes'])).shape, [2, 16]);
  assert.deepEqual(translator.tokenizer.encode('I love').ids, [2, 3, 0]);
});

test('bytes that were handed in stay with the caller', async (t) => {
  const files = bert();
  await opened(t, files, inWorker);
  for (const [name, bytes] of files) assert.ok(bytes.byteLength > 0, name);
});

test('errors keep code, message and details across the thread', async (t) => {
  const model = await opened(t, bert(), inWorker);
  await rejects(model.forward({ inputIds: [[1, 99]] }), 'invalid_argument', /99/);
  await rejects(model.generate('the').result(), 'invalid_argument', /cannot generate/);
  await rejects(loadModel(new Map([['config.json', new Uint8Array(3)]]), inWorker), 'invalid_file', /config\.json/);
});

test('an abort reaches the worker', async (t) => {
  const model = await opened(t, llama({ length: 8192 }), inWorker);
  const controller = new AbortController();
  const generation = model.generate('a', { ...long, signal: controller.signal });
  const queued = model.forward({ inputIds: [[1, 2]] });
  await sleep(20);
  const started = performance.now();
  controller.abort('now');
  assert.equal((await rejects(generation.result(), 'aborted')).cause, 'now');
  assert.ok(performance.now() - started < 300, `${performance.now() - started} ms`);
  assert.ok((await queued).logits, 'the next call had its turn');
});

test('an abort of a pass that the worker is in the middle of rejects at once, and the next call waits for its end', async (t) => {
  const model = await opened(t, llama({ length: 8192 }), inWorker);
  const controller = new AbortController(), inputs = { inputIds: [Array(8000).fill(1)] };
  const alone = await model.forward({ inputIds: [[1, 2]] });
  const pass = model.forward(inputs, { logits: 'none', signal: controller.signal });
  const ended = [];
  const next = model.forward({ inputIds: [[1, 2]] }).finally(() => ended.push('next'));
  await sleep(20);
  const started = performance.now();
  controller.abort('now');
  assert.equal((await rejects(pass.finally(() => ended.push('aborted')), 'aborted')).cause, 'now');
  assert.ok(performance.now() - started < 20, `${performance.now() - started} ms`);
  assert.deepEqual(await next, alone);
  assert.deepEqual(ended, ['aborted', 'next']);
});

test('leaving the loop stops the worker', async (t) => {
  const model = await opened(t, llama({ length: 8192 }), inWorker);
  const generation = model.generate('a', long);
  for await (const item of generation) if (item) break;
  await rejects(generation.result(), 'aborted');
  assert.ok(await model.forward({ inputIds: [[1]] }));
});

test('tokens added here are known there', async (t) => {
  const model = await opened(t, llama(), inWorker);
  const before = (await model.generate('fox', { maxNewTokens: 1 }).result()).usage.promptTokens;
  assert.equal(before, 4);
  assert.equal(model.tokenizer.addTokens([{ content: 'fox' }]), 1);
  await rejects(model.generate('fox', { maxNewTokens: 1 }).result(), 'invalid_argument', /258/);
});

test('a worker that dies takes no promise with it, and the next load gets a fresh one', async (t) => {
  const dying = script(
    t,
    `import { parentPort } from 'node:worker_threads';
    import ${JSON.stringify(WORKER)};
    parentPort.on('message', () => { throw new Error('out of luck'); });`,
  );
  await rejects(loadModel(bert(), { ...inWorker, workerUrl: dying }), 'worker_crashed', /out of luck/);
  const ending = script(
    t,
    `import { parentPort } from 'node:worker_threads';
    import ${JSON.stringify(WORKER)};
    parentPort.on('message', () => process.exit(3));`,
  );
  await rejects(loadModel(bert(), { ...inWorker, workerUrl: ending }), 'worker_crashed', /status 3/);
  assert.ok(await opened(t, bert(), inWorker));
});

test('a worker whose script cannot run says so', async (t) => {
  await rejects(
    loadModel(bert(), { ...inWorker, workerUrl: new URL('nowhere.js', import.meta.url) }),
    'unsupported_platform',
    /worker's script.*worker\.js/s,
  );
  await rejects(
    loadModel(bert(), { ...inWorker, workerUrl: script(t, 'throw new Error("bad script")') }),
    'unsupported_platform',
    /bad script/,
  );
});

test('a worker is ended by dispose, and by an aborted load', async () => {
  const model = await loadModel(llama({ length: 8192 }), inWorker);
  const generation = model.generate('a', long);
  await sleep(10);
  model.dispose();
  await rejects(generation.result(), 'disposed');
  await rejects(model.forward({ inputIds: [[1]] }), 'disposed');
  const controller = new AbortController();
  await rejects(loadModel(bert(), { ...inWorker, signal: controller.signal, onProgress: () => controller.abort() }), 'aborted');
});

test('a tokenizer is parsed in a worker', async () => {
  const tokenizer = await loadTokenizer(bert(), inWorker);
  assert.deepEqual(tokenizer.encode('The fox').tokens, ['[CLS]', 'the', 'fox', '[SEP]']);
});
