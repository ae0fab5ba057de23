// The cache of downloaded files, with Cache Storage in memory where that of browsers is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel, loadTokenizer } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { fileServer, opened, rejects, serve } from './support.mjs';

const files = bert();
const weights = files.get('model.safetensors');

/** Cache Storage in memory, whose operations may fail. */
function fakeCaches(failing = {}) {
  const entries = new Map();
  const cache = {
    async match(url) {
      return entries.get(url)?.clone();
    },
    async put(url, response) {
      if (failing.put) throw new DOMException('full', 'QuotaExceededError');
      entries.set(url, new Response(await response.arrayBuffer(), { headers: response.headers }));
    },
    async delete(url) {
      return entries.delete(url);
    },
  };
  return {
    entries,
    async open() {
      if (failing.open) throw new DOMException('private', 'SecurityError');
      return cache;
    },
  };
}

/** Runs a test with these caches in the place of the browser's. */
async function withCaches(caches, run) {
  globalThis.caches = caches;
  try {
    await run();
  } finally {
    delete globalThis.caches;
  }
}

test('files are kept, used without the server, and asked for again when they changed', (t) =>
  withCaches(fakeCaches(), async () => {
    let etag = '"1"',
      down = false;
    const gets = [];
    const address = await serve(t, (request, response) => {
      if (down) return response.destroy();
      if (request.method === 'GET') gets.push(request.url.slice(1));
      response.setHeader('etag', etag);
      return fileServer(files)(request, response);
    });
    await opened(t, address);
    assert.ok(gets.includes('model.safetensors'));

    gets.length = 0;
    const events = [];
    await opened(t, address, { onProgress: (event) => events.push(event) });
    assert.deepEqual(
      gets.filter((name) => files.has(name)),
      [],
    );
    assert.ok(events.some(({ phase, file }) => phase === 'cache' && file === 'model.safetensors'));

    etag = '"2"';
    await opened(t, address);
    assert.ok(gets.includes('model.safetensors'), 'a changed file is fetched');

    down = true;
    await opened(t, address, { cache: 'only' });
    await rejects(loadModel(address, { cache: 'none' }), 'network_error', /could not be reached/);
    await rejects(loadTokenizer(`${address}other/tokenizer.json`, { cache: 'only' }), 'network_error', /not in the cache/);
  }));

test('a damaged entry is fetched anew, once', (t) =>
  withCaches(fakeCaches(), async () => {
    const { entries } = globalThis.caches;
    const address = await serve(t, fileServer(files));
    await opened(t, address);
    const name = `${address}model.safetensors`;
    const store = (bytes) => entries.set(name, new Response(bytes, { headers: { 'content-length': String(weights.length) } }));

    store(weights.subarray(0, 100));
    await opened(t, address);
    store(new Uint8Array(weights.length));
    await opened(t, address);
    assert.equal(Number((await entries.get(name).clone().arrayBuffer()).byteLength), weights.length);
    assert.deepEqual(Buffer.from(await entries.get(name).clone().arrayBuffer()).compare(Buffer.from(weights)), 0);
  }));

test('an entry of another version, and one that is evicted while it is read, are fetched anew', (t) =>
  withCaches(fakeCaches(), async () => {
    const { entries } = globalThis.caches;
    const address = await serve(t, fileServer(files));
    await opened(t, address);
    const name = `${address}model.safetensors`;
    entries.set(name, new Response(weights));
    await opened(t, address);

    const evicted = new Blob([weights]);
    evicted.stream = () => {
      let pulls = 0;
      return new ReadableStream({
        pull(controller) {
          if (++pulls === 1) controller.enqueue(weights.subarray(0, 5000));
          else controller.error(new DOMException('gone', 'NotReadableError'));
        },
      });
    };
    const answer = { headers: new Headers({ 'content-length': String(weights.length) }), blob: async () => evicted, clone: () => answer };
    entries.set(name, answer);
    await rejects(loadModel(address, { cache: 'only' }), 'invalid_file', /model\.safetensors in the cache can no longer be read \(gone\)/);
    const events = [];
    await opened(t, address, { onProgress: (event) => events.push(event) });
    const fractions = events.map(({ fraction }) => fraction ?? 0);
    assert.deepEqual(fractions, [...fractions].sort((a, b) => a - b));
    assert.ok(events.some(({ phase, file }) => phase === 'download' && file === 'model.safetensors'));
    assert.equal((await entries.get(name).clone().arrayBuffer()).byteLength, weights.length);
  }));

test('a cache that fails costs nothing but itself', async (t) => {
  const address = await serve(t, fileServer(files));
  for (const failing of [{ put: true }, { open: true }]) {
    await withCaches(fakeCaches(failing), async () => assert.ok(await opened(t, address)));
  }
});

test('half a download, or one with a wrong checksum, is not kept', (t) =>
  withCaches(fakeCaches(), async () => {
    const { entries } = globalThis.caches;
    const broken = await serve(t, (request, response) =>
      request.url === '/model.safetensors'
        ? response.writeHead(200, { 'content-length': weights.length }).write(weights.subarray(0, 3000), () => response.destroy())
        : fileServer(files)(request, response),
    );
    await rejects(loadModel(broken), 'network_error');
    assert.equal(entries.has(`${broken}model.safetensors`), false);
    const address = await serve(t, fileServer(files));
    await rejects(loadModel(address, { integrity: { 'model.safetensors': 'f'.repeat(64) } }), 'integrity_error');
    assert.equal(entries.has(`${address}model.safetensors`), false);
  }));
