import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { loadModel, loadTokenizer } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { changed, fileServer, opened, rejects, serve, temporaryFolder } from './support.mjs';

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

test('a body may not be other than its length says', async (t) => {
  const bytes = files.get('config.json');
  const raw = (length, ...parts) => (request, response) => {
    response.socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n`);
    for (const part of parts) response.socket.write(part);
    response.socket.end();
  };
  const short = loadModel(await serving(t, { 'config.json': raw(bytes.length + 1, bytes) }));
  await rejects(short, 'network_error', new RegExp(`the download is not whole: ${bytes.length} bytes arrived of ${bytes.length + 1}`));
  // What comes after the length is no part of the file.
  assert.ok(await opened(t, await serving(t, { 'config.json': raw(bytes.length, bytes, 'more') })));
});

test('a part that nobody asked for is no file', async (t) => {
  const part = (request, response) =>
    response.writeHead(206, { 'content-range': `bytes 0-99/${weights.length}`, 'content-length': 100 }).end(weights.subarray(0, 100));
  await rejects(loadModel(await serving(t, { 'model.safetensors': part })), 'network_error', /model\.safetensors: status 206/);
});

test('a file on disk that cannot be read is named', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = temporaryFolder(t);
  symlinkSync('/proc/self/mem', `${folder}/tokenizer.json`);  // of which the first byte is no memory
  await rejects(loadTokenizer(folder), 'invalid_argument', /tokenizer\.json: EIO/);
});

test('a server that is not there', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address(), address = `http://127.0.0.1:${port}/`;
  await new Promise((resolve) => server.close(resolve));
  const refused = new RegExp(`${address}config\\.json could not be reached \\(.*ECONNREFUSED 127\\.0\\.0\\.1:${port}\\)`);
  const error = await rejects(loadModel(address), 'network_error', refused);
  assert.equal(error.details.url, `${address}config.json`);
  await rejects(loadModel('http://no-such-host.invalid/'), 'network_error', /could not be reached \(.*(ENOTFOUND|EAI_AGAIN)/);
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

test('an address without a slash at the end is one file', async (t) => {
  const address = await serve(t, fileServer(changed(files, {})));
  await rejects(loadModel(address.slice(0, -1) + '/tokenizer.json'), 'invalid_file', /config\.json/);
});
