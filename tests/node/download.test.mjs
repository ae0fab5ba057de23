import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { loadModel, loadTokenizer } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { changed, fileServer, opened, rejects, serve } from './support.mjs';

const files = bert();
const weights = files.get('model.safetensors');

/** The folder from a server that answers some requests in its own way. */
const serving = (t, special) =>
  serve(t, (request, response) => {
    const answer = special[request.url.slice(1)];
    return answer ? answer(request, response) : fileServer(files)(request, response);
  });
const status =
  (code, type = 'text/plain', body = 'no') =>
  (request, response) =>
    response.writeHead(code, { 'content-type': type }).end(body);
const page = status(200, 'text/html; charset=utf-8', '<!doctype html>');

test('HTML in the place of an optional file means that it is not there', async (t) => {
  const address = await serving(t, { 'generation_config.json': page, 'modules.json': page, 'special_tokens_map.json': page });
  assert.ok(await opened(t, address));
  const model = await opened(t, await serving(t, { 'tokenizer.json': page, 'tokenizer_config.json': page }));
  assert.equal(model.tokenizer, null);
});

test('what a server answers wrongly is said with the address', async (t) => {
  const cases = [
    [{ 'config.json': status(404) }, 'network_error', /config\.json: status 404/],
    [{ 'config.json': status(500) }, 'network_error', /config\.json: status 500/],
    [{ 'config.json': page }, 'network_error', /config\.json: an HTML page came instead/],
    [{ 'model.safetensors': status(403) }, 'network_error', /model\.safetensors: status 403.*'headers'/],
    [{ 'tokenizer.json': status(503) }, 'network_error', /tokenizer\.json: status 503/],
    [
      { 'config.json': (request, response) => response.writeHead(302, { location: '/login' }).end(), login: page },
      'network_error',
      /HTML page came after a redirect to .*\/login/,
    ],
    [
      {
        'model.safetensors': (request, response) =>
          response.writeHead(200, { 'content-length': weights.length }).write(weights.subarray(0, 3000), () => response.destroy()),
      },
      'network_error',
      /model\.safetensors: the download is not whole: \d+ bytes arrived of \d+/,
    ],
    [
      {
        'config.json': (request, response) =>
          response.writeHead(200).end('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n'),
      },
      'invalid_file',
      /config\.json.*LFS|LFS.*config\.json/s,
    ],
  ];
  for (const [special, code, pattern] of cases) await rejects(loadModel(await serving(t, special)), code, pattern);
});

test('a server that is not there', async () => {
  const error = await rejects(
    loadModel('http://127.0.0.1:9/'),
    'network_error',
    /http:\/\/127\.0\.0\.1:9\/config\.json could not be reached/,
  );
  assert.equal(error.details.url, 'http://127.0.0.1:9/config.json');
});

test('compressed and unmeasured bodies are read whole', async (t) => {
  const packed = gzipSync(weights);
  const gzipped = (request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed);
  const chunked = (request, response) => {
    response.writeHead(200);
    response.write(weights.subarray(0, 1000));
    response.end(weights.subarray(1000));
  };
  for (const answer of [gzipped, chunked]) {
    const events = [];
    const model = await opened(t, await serving(t, { 'model.safetensors': answer }), { onProgress: (event) => events.push(event) });
    assert.equal(model.info.modelType, 'bert');
    assert.equal(events.at(-1).fraction, 1);
  }
});

test('headers go with every request', async (t) => {
  const seen = [];
  const address = await serve(t, (request, response) => {
    seen.push(request.headers.authorization);
    return request.headers.authorization === 'Bearer x' ? fileServer(files)(request, response) : status(401)(request, response);
  });
  await rejects(loadModel(address), 'network_error', /status 401/);
  seen.length = 0;
  await opened(t, address, { headers: { authorization: 'Bearer x' } });
  assert.ok(seen.length >= 4 && seen.every((value) => value === 'Bearer x'));
});

test('only what may be there is asked for', async (t) => {
  const asked = [];
  const address = await serve(t, (request, response) => {
    asked.push(request.url.slice(1));
    return fileServer(files)(request, response);
  });
  await opened(t, address);
  assert.deepEqual(asked.sort(), [
    'config.json',
    'generation_config.json',
    'model.safetensors',
    'modules.json',
    'special_tokens_map.json',
    'tokenizer.json',
    'tokenizer_config.json',
  ]);
});

test('the repository of a hub is asked only where it is named', async () => {
  const fetched = [],
    real = globalThis.fetch;
  globalThis.fetch = async (url) => {
    fetched.push(String(url));
    return new Response('', { status: 404 });
  };
  try {
    await rejects(loadModel('hf:org/name@refs/pr/1'), 'network_error');
    assert.deepEqual(
      fetched.filter((url) => !url.endsWith('.wasm')),
      ['https://huggingface.co/org/name/resolve/refs%2Fpr%2F1/config.json'],
    );
    await rejects(loadModel('hf:name'), 'invalid_argument', /hf:org\/name/);
  } finally {
    globalThis.fetch = real;
  }
});

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

test('a cache that fails costs nothing but itself', async (t) => {
  const address = await serve(t, fileServer(files));
  for (const failing of [{ put: true }, { open: true }]) {
    await withCaches(fakeCaches(failing), async () => assert.ok(await opened(t, address)));
  }
});

test('half a download, or one with a wrong checksum, is not kept', (t) =>
  withCaches(fakeCaches(), async () => {
    const { entries } = globalThis.caches;
    const broken = await serving(t, {
      'model.safetensors': (request, response) =>
        response.writeHead(200, { 'content-length': weights.length }).write(weights.subarray(0, 3000), () => response.destroy()),
    });
    await rejects(loadModel(broken), 'network_error');
    assert.equal(entries.has(`${broken}model.safetensors`), false);
    const address = await serve(t, fileServer(files));
    await rejects(loadModel(address, { integrity: { 'model.safetensors': 'f'.repeat(64) } }), 'integrity_error');
    assert.equal(entries.has(`${address}model.safetensors`), false);
  }));

test('an address without a slash at the end is one file', async (t) => {
  const address = await serve(t, fileServer(changed(files, {})));
  await rejects(loadModel(address.slice(0, -1) + '/tokenizer.json'), 'invalid_file', /config\.json/);
});
