// What a browser's network refuses, and what is said of it; and a hub's addresses.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { bert } from '../fixtures/make_models.mjs';
import { STRICT, siteForTests } from './bare-page.mjs';

const files = bert();
const site = siteForTests((name, request, response) => {
  if (name === 'login') return response.writeHead(200, { 'content-type': 'text/html' }).end('<form>');
  if (name.startsWith('private/')) return response.writeHead(302, { location: '/login' }).end();
  if (name.startsWith('away/')) return response.writeHead(302, { location: `${other.replace('127.0.0.1', 'localhost')}login` }).end();
  return false;
});

/** A server of another origin, which allows what `headers` say. */
let other = '', headers = {};
async function startOther(t, allowed) {
  headers = allowed;
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const bytes = files.get(request.url.slice(1));
    if (request.method === 'OPTIONS') return response.writeHead(204).end();
    return bytes ? response.writeHead(200).end(bytes) : response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  other = `http://127.0.0.1:${server.address().port}/`;
  return other;
}

/** The error of a load, or the model's type. */
const outcome = (page, source, options = {}) =>
  page.evaluate(
    async ([from, given]) => {
      const { loadModel } = await import('/dist/index.js');
      return loadModel(from, given).then(
        (model) => {
          model.dispose();
          return { type: model.info.modelType };
        },
        ({ code, message }) => ({ code, message }),
      );
    },
    [source, options],
  );

const OPEN = STRICT.replace("connect-src 'self'", 'connect-src *');
const BLOCKED = /CORS policy|net::ERR_|404 \(Not Found\)|Content Security Policy/;

test('what CORS refuses is told from what cannot be reached', async (t) => {
  const address = await startOther(t, {});
  const page = await site.open(t, { csp: OPEN, expected: BLOCKED });
  const refused = await outcome(page, address);
  assert.equal(refused.code, 'network_error');
  assert.match(refused.message, /config\.json could not be reached \(refused by CORS/);
  assert.ok(refused.message.includes(`Access-Control-Allow-Origin for ${new URL(site.origin).origin}`), refused.message);

  headers = { 'access-control-allow-origin': '*' };
  assert.deepEqual(await outcome(page, address), { type: 'bert' });
  const secret = await outcome(page, address, { headers: { authorization: 'Bearer x' }, cache: 'none' });
  assert.match(secret.message, /refused by CORS/);
  headers = { ...headers, 'access-control-allow-headers': 'authorization' };
  assert.deepEqual(await outcome(page, address, { headers: { authorization: 'Bearer x' }, cache: 'none' }), { type: 'bert' });

  const nobody = await outcome(page, 'http://127.0.0.1:9/');
  assert.match(nobody.message, /could not be reached \(offline, no such host, refused by CORS/);
});

test("an address that the page's policy does not allow", async (t) => {
  const address = await startOther(t, { 'access-control-allow-origin': '*' });
  const page = await site.open(t, { expected: BLOCKED });
  assert.match((await outcome(page, address)).message, /could not be reached \(.*blocked by the page's connect-src\)/);
});

test('a login page in the place of a file, of this origin and of another', async (t) => {
  await startOther(t, {});
  const page = await site.open(t, { csp: OPEN, expected: BLOCKED });
  assert.match((await outcome(page, '/private/')).message, /config\.json: an HTML page came after a redirect to .*\/login/);
  assert.match((await outcome(page, '/away/')).message, /could not be reached \(refused by CORS.*or leads to a login page\)/);
});

test('a device that is offline', async (t) => {
  const page = await site.open(t, { expected: BLOCKED });
  await page.evaluate(async () => (await import('/dist/index.js')).capabilities());
  await page.context().setOffline(true);
  const early = await outcome(page, '/private/', { worker: false });
  assert.equal(early.code, 'network_error');
  assert.match(early.message, /A script of the package could not be loaded/);
  await page.context().setOffline(false);
  assert.match((await outcome(page, '/private/', { worker: false })).message, /HTML page/);
  await page.context().setOffline(true);
  const late = await outcome(page, '/private/', { worker: false });
  assert.equal(late.code, 'network_error');
  assert.match(late.message, /could not be reached \(this device is offline\)/);
});

test('a network that drops every request once, as when it changes', async (t) => {
  const page = await site.open(t, { csp: OPEN, expected: BLOCKED });
  const times = new Map();
  await page.context().route('https://models.example/**', (route) => {
    const url = new URL(route.request().url()), time = (times.get(url.pathname) ?? 0) + 1;
    times.set(url.pathname, time);
    if (time === 1) return route.abort('connectionreset');
    const bytes = files.get(url.pathname.slice(1)), cors = { 'access-control-allow-origin': '*' };
    return bytes ? route.fulfill({ status: 200, headers: cors, body: Buffer.from(bytes) }) : route.fulfill({ status: 404, headers: cors });
  });
  for (const worker of [false, true]) {
    times.clear();
    assert.deepEqual(await outcome(page, 'https://models.example/', { worker, cache: 'none' }), { type: 'bert' });
    assert.ok(times.size >= 3 && [...times.values()].every((time) => time >= 2), [...times].join());
  }
});

test('a repository of a hub, at a revision, and offline from then on', async (t) => {
  const page = await site.open(t, { csp: OPEN, expected: BLOCKED });
  const asked = [];
  await page.context().route('https://huggingface.co/**', (route) => {
    const url = new URL(route.request().url());
    asked.push(url.pathname);
    const bytes = files.get(url.pathname.split('/').pop());
    const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag', etag: '"1"' };
    return bytes ? route.fulfill({ status: 200, headers: cors, body: Buffer.from(bytes) }) : route.fulfill({ status: 404, headers: cors });
  });
  assert.deepEqual(await outcome(page, 'hf:org/name@v1.0', { worker: false }), { type: 'bert' });
  assert.ok(asked.includes('/org/name/resolve/v1.0/config.json'), asked.join());
  asked.length = 0;
  assert.deepEqual(await outcome(page, 'hf:org/name@v1.0', { worker: false, cache: 'only' }), { type: 'bert' });
  const main = await outcome(page, 'hf:org/name', { worker: false, cache: 'only' });
  assert.match(main.message, /resolve\/main\/config\.json is not in the cache/);
  assert.deepEqual(asked, []);
  assert.deepEqual(await outcome(page, 'hf:org/name', { worker: false }), { type: 'bert' });
  assert.ok(asked.includes('/org/name/resolve/main/config.json'));
});
