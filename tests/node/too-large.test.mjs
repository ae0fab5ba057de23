// Models that cannot fit are refused before they are downloaded, with the need and the limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilities, loadModel } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { text, u64 } from '../fixtures/write_weights.mjs';
import { changed, fileServer, opened, rejects, serve } from './support.mjs';

const GIB = 2 ** 30;
const { maxMemory } = await capabilities();

/** A BERT with 6 GiB of embeddings in f32. */
const VOCABULARY = 2 ** 24, WIDTH = 96;
const config = { ...JSON.parse(Buffer.from(bert().get('config.json'))), vocab_size: VOCABULARY, hidden_size: WIDTH };
const embeddings = { dtype: 'F32', shape: [VOCABULARY, WIDTH], data_offsets: [0, 6 * GIB] };
const header = text(JSON.stringify({ 'embeddings.word_embeddings.weight': embeddings }));

test('the memory of WebAssembly ends at 4 GiB', () => assert.ok(maxMemory <= 4 * GIB && maxMemory > 3 * GIB));

test('one file of weights is refused at its header', async (t) => {
  const start = Buffer.concat([u64(header.length), header]);
  let sent = 0, closed;
  const files = changed(bert(), { 'config.json': JSON.stringify(config) });
  const address = await serve(t, (request, response) => {
    if (request.url !== '/model.safetensors') return fileServer(files)(request, response);
    response.writeHead(200, { 'content-length': start.length + 6 * GIB }).write(start);
    closed = new Promise((resolve) => response.on('close', resolve));
    const send = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20))) sent += 1 << 20;
      response.once('drain', send);
    };
    send();
  });
  const error = await rejects(loadModel(address), 'out_of_memory', /take \d+ bytes in memory, \d+ are available/);
  assert.equal(error.details.needed, String(6 * GIB));
  assert.ok(Number(error.details.limit) <= maxMemory && Number(error.details.limit) > 3 * GIB, error.details.limit);
  await closed;
  assert.ok(sent < 64 << 20, `${sent} bytes were sent`);
});

test('several files of weights are refused by their index, before the first of them', async (t) => {
  const asked = [];
  const shard = 'model-00001-of-00001.safetensors';
  const index = { metadata: { total_size: 24 * GIB }, weight_map: { 'embeddings.word_embeddings.weight': shard } };
  const files = changed(bert(), { 'model.safetensors': null, 'model.safetensors.index.json': JSON.stringify(index) });
  const address = await serve(t, (request, response) => {
    asked.push(request.url);
    fileServer(files)(request, response);
  });
  for (const [dtype, needed] of [['auto', 24 * GIB], ['f32', 24 * GIB], ['f16', 12 * GIB], ['int8', 6 * GIB]]) {
    const message = new RegExp(`take ${needed} bytes or more.*${maxMemory} are available`);
    const error = await rejects(loadModel(address, { dtype }), 'out_of_memory', message);
    assert.deepEqual(error.details, { needed: String(needed), limit: String(maxMemory) });
  }
  // As int4 it may fit, so that the file itself is asked for.
  await rejects(loadModel(address, { dtype: 'int4' }), 'network_error', /model-00001-of-00001\.safetensors: status 404/);
  assert.equal(asked.filter((name) => name === `/${shard}`).length, 1);
});

test('a size that the server does not tell is no reason to refuse', async (t) => {
  const address = await serve(t, (request, response) => {
    const bytes = bert().get(request.url.slice(1));
    if (!bytes) return response.writeHead(404).end();
    response.write(bytes.subarray(0, 100));
    response.end(bytes.subarray(100));
  });
  assert.equal((await opened(t, address)).info.modelType, 'bert');
});
