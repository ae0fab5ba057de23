// What `webformer serve` serves, and to whom.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { EN_FR, TALES, fails, served } from './cli-support.mjs';
import { temporaryFolder } from './support.mjs';

/** A request as no browser would send it: the path as it is, and any name of the host. */
async function ask(url, requested, headers = {}) {
  const [response] = await once(get({ host: '127.0.0.1', port: url.port, path: requested, headers }), 'response');
  response.resume();
  return response.statusCode;
}

function site(t) {
  const parent = temporaryFolder(t),
    folder = path.join(parent, 'site');
  mkdirSync(folder);
  writeFileSync(path.join(parent, 'secret.txt'), 'secret');
  mkdirSync(path.join(parent, 'site-beside'));
  writeFileSync(path.join(parent, 'site-beside', 'secret.txt'), 'secret');
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>mine</title>');
  writeFileSync(path.join(folder, 'data.bin'), '0123456789');
  writeFileSync(path.join(folder, 'empty.txt'), '');
  return folder;
}

test('a model comes with a page, the package, and its own files', async (t) => {
  const { url } = await served(t, EN_FR);
  assert.equal(url.searchParams.get('model'), 'model/en-fr/');
  const page = await (await fetch(url)).text();
  for (const name of ['page.js', 'page.css']) {
    assert.ok(page.includes(`"${name}"`), page);
    assert.equal((await fetch(new URL(name, url))).status, 200);
  }
  assert.match(await (await fetch(new URL('page.js', url))).text(), /from"\.\/webformer\/index\.js"/);
  for (const name of ['index.js', 'worker.js', 'webformer.wasm'])
    assert.equal((await fetch(new URL(`webformer/${name}`, url))).status, 200);
  const config = await (await fetch(new URL('model/en-fr/config.json', url))).text();
  assert.equal(config, readFileSync(`${EN_FR}/config.json`, 'utf8'));
});

test('of a file the page has that file alone, and a repository it fetches itself', async (t) => {
  const file = await served(t, `${TALES}/tokenizer.json`);
  assert.equal(file.url.searchParams.get('model'), 'model/tokenizer.json');
  assert.equal((await fetch(new URL('model/tokenizer.json', file.url))).status, 200);
  assert.equal((await fetch(new URL('model/config.json', file.url))).status, 404);
  const { url } = await served(t, 'hf:org/name');
  assert.equal(url.searchParams.get('model'), 'hf:org/name');
});

test('a folder with a page is a site, with the headers of an isolated page', async (t) => {
  const { url } = await served(t, site(t));
  const response = await fetch(url);
  assert.match(await response.text(), /mine/);
  assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
  assert.equal(response.headers.get('cross-origin-embedder-policy'), 'require-corp');
  assert.match(response.headers.get('content-security-policy'), /default-src 'none'/);
  for (const name of ['missing', 'index.html/x', 'x'.repeat(3000)]) assert.equal((await fetch(new URL(name, url))).status, 404);
  assert.equal((await fetch(url, { method: 'POST' })).status, 405);
  assert.equal(await (await fetch(new URL('empty.txt', url))).text(), '');
});

test('parts of a file, and what has not changed', async (t) => {
  const { url } = await served(t, site(t));
  const file = new URL('data.bin', url);
  const part = async (range, headers = {}) => {
    const response = await fetch(file, { headers: { range, ...headers } });
    return [response.status, await response.text(), response.headers.get('content-range')];
  };
  assert.deepEqual(await part('bytes=2-4'), [206, '234', 'bytes 2-4/10']);
  assert.deepEqual(await part('bytes=7-'), [206, '789', 'bytes 7-9/10']);
  assert.deepEqual(await part('bytes=-2'), [206, '89', 'bytes 8-9/10']);
  assert.deepEqual(await part('bytes=5-99'), [206, '56789', 'bytes 5-9/10']);
  assert.deepEqual(await part('bytes=10-'), [416, '', 'bytes */10']);
  assert.deepEqual(await part('bytes=2-4', { 'if-range': '"another"' }), [200, '0123456789', null]);
  const tag = (await fetch(file)).headers.get('etag');
  assert.equal((await fetch(file, { headers: { 'if-none-match': tag } })).status, 304);
});

test('nothing outside the folder, and nobody but this machine', async (t) => {
  const { url } = await served(t, site(t));
  assert.equal(await ask(url, '/data.bin'), 200);
  for (const requested of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..%2fsite-beside/secret.txt',
    '/%00',
    '/%ff',
    '//',
  ])
    assert.equal(await ask(url, requested), 404, requested);
  assert.equal(await ask(url, '/data.bin', { host: 'elsewhere.example' }), 403);
  assert.equal(await ask(url, '/data.bin', { host: `localhost:${url.port}` }), 200);
});

test('Ctrl-C is how it ends', { skip: process.platform === 'win32' }, async (t) => {
  const { url, child, ended } = await served(t, TALES);
  await (await fetch(url)).text();
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [130, '']);
  const other = await served(t, TALES);
  other.child.kill('SIGTERM');
  assert.equal((await other.ended).code, 143);
});

test('a port that is taken is an error where it was asked for', async (t) => {
  const { url } = await served(t, TALES);
  const stderr = await fails(['serve', TALES, '--port', url.port], 1, new RegExp(`port ${url.port} is taken: give another --port`));
  assert.doesNotMatch(stderr, /EADDRINUSE|listen/);
  await fails(['serve', 'no/such/folder'], 2, /no\/such\/folder: no such file or folder/);
});

test('what is neither a folder nor a model is refused in one message', async (t) => {
  const file = path.join(temporaryFolder(t), 'README.md');
  writeFileSync(file, '# x');
  for (const source of [file, '/dev/null'])
    await fails(['serve', source], 2, /^webformer serve: \S+: a folder, a \.gguf file, or .* expected\nTry 'webformer serve --help'\.\n$/);
  await fails(['serve', ''], 2, /: '': no such file or folder/);
  for (const address of ['http://localhost:1/', 'ftp://x']) await fails(['serve', address], 2, /address that begins with https: expected/);
});

test('a folder with neither a site nor a model is refused with what is missing', async (t) => {
  const folder = temporaryFolder(t);
  await fails(['serve', folder], 2, /the folder is empty; a model \(config\.json .* or a site \(index\.html\) expected/);
  writeFileSync(path.join(folder, 'model.safetensors'), '');
  await fails(['serve', folder], 2, /config\.json is missing; a model/);
  const other = temporaryFolder(t);
  writeFileSync(path.join(other, 'config.json'), '{}');
  await fails(['serve', other], 2, /model\.safetensors is missing; a model/);
  writeFileSync(path.join(other, 'any.gguf'), '');
  assert.equal((await served(t, other)).url.searchParams.get('model'), `model/${path.basename(other)}/`);
});
