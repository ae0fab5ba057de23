// Where a browser keeps little or nothing, or something else than it should, a model loads all the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_FOUND, siteForTests } from './bare-page.mjs';
import { CHUNK, WEIGHTS, chunksIn, largeModel, largeWeights, loadLarge, sendPart, sha256 } from './large-model.mjs';

const weights = largeWeights();
const integrity = { [WEIGHTS]: sha256(weights) };

const model = largeModel();
const site = siteForTests(model.answer);

async function open(t, options = {}) {
  const page = await site.open(t, { expected: NOT_FOUND, ...options });
  model.gets = [];
  model.send = (request, response) => sendPart(request, response, weights);
  return page;
}

/** Limits what the page's origin may keep, to so many bytes. */
async function limitQuota(page, quotaSize) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: new URL(site.origin).origin, quotaSize });
  const refused = await page.evaluate(async (size) => {
    const cache = await caches.open('other');
    return cache.put('/more', new Response(new Blob([new Uint8Array(size)]))).catch(({ name }) => name);
  }, quotaSize + 1);
  assert.equal(refused, 'QuotaExceededError');
}

const isCached = (page) => page.evaluate(async () => Boolean(await caches.match('/large/model.safetensors')));

test('a quota that is too small for anything', async (t) => {
  const page = await open(t);
  await limitQuota(page, 100_000);
  assert.deepEqual((await loadLarge(page, { integrity })).phases, ['download']);
  assert.equal(await isCached(page), false);
  assert.equal(await chunksIn(page), 0);
});

test('a quota that has room for the chunks, or for the whole, but not for both', async (t) => {
  const page = await open(t);
  await limitQuota(page, weights.length + 2 * CHUNK);
  assert.deepEqual((await loadLarge(page, { integrity })).phases, ['download']);
  assert.equal(await isCached(page), true);
  assert.equal(await chunksIn(page), 0);
});

test('no Cache Storage, no IndexedDB, or both refuse', async (t) => {
  const scripts = {
    'no Cache Storage': () => delete globalThis.caches,
    'no IndexedDB': () => delete globalThis.indexedDB,
    'a refusal of both': () => {
      if (globalThis.caches) caches.open = () => Promise.reject(new DOMException('private', 'SecurityError'));
      IDBFactory.prototype.open = () => {
        throw new DOMException('private', 'SecurityError');
      };
    },
  };
  for (const [name, script] of Object.entries(scripts)) {
    await t.test(name, async (each) => {
      // A script of the page does not reach its workers.
      const page = await open(each, { script });
      assert.deepEqual((await loadLarge(page, { worker: false, integrity })).phases, ['download']);
      assert.deepEqual((await loadLarge(page, { worker: false, integrity })).phases, [name === 'no IndexedDB' ? 'cache' : 'download']);
    });
  }
});

test('two tabs that fill the same entry', async (t) => {
  const page = await open(t), other = await site.another(page.context());
  const results = await Promise.all([page, other].map((tab) => loadLarge(tab, { integrity })));
  for (const { message, loaded } of results) assert.equal(loaded, weights.length, message);
  assert.deepEqual((await loadLarge(page, { cache: 'only', integrity })).phases, ['cache']);
  assert.equal(await chunksIn(page), 0);
});

test('entries that are damaged, cut short, or of another version', async (t) => {
  const page = await open(t);
  await loadLarge(page);
  const whole = weights.length;
  for (const [size, length] of [[1000], [1000, 1000], [whole], [1000, whole], [whole, whole]]) {
    const headers = length === undefined ? {} : { 'content-length': String(length) };
    model.gets = [];
    await page.evaluate(async ([bytes, given]) => {
      const cache = await caches.open('webformer-1');
      await cache.put('/large/model.safetensors', new Response(new Uint8Array(bytes), { headers: given }));
    }, [size, headers]);
    const { message, loaded } = await loadLarge(page);
    assert.ok(loaded >= weights.length, message);
    assert.deepEqual(model.gets, ['whole']);
    assert.deepEqual((await loadLarge(page, { cache: 'only', integrity })).phases, ['cache']);
  }
});

test('chunks that are damaged', async (t) => {
  const page = await open(t, { expected: /404 \(Not Found\)|net::ERR_/ });
  for (const size of [CHUNK, 100]) {
    model.gets = [];
    await page.evaluate(() => caches.delete('webformer-1'));
    model.send = (request, response) => sendPart(request, response, weights, { until: CHUNK + 1000 });
    assert.equal((await loadLarge(page)).code, 'network_error');
    await page.evaluate(async (bytes) => {
      const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
      const chunks = (await done(indexedDB.open('webformer'))).transaction('chunks', 'readwrite').objectStore('chunks');
      await done(chunks.put({ ...(await done(chunks.getAll()))[0], bytes: new Blob([new Uint8Array(bytes)]) }));
    }, size);
    model.send = (request, response) => sendPart(request, response, weights);
    assert.deepEqual((await loadLarge(page)).phases, ['download']);
    assert.deepEqual(model.gets, ['whole', `bytes=${size}-`, 'whole']);
    assert.deepEqual((await loadLarge(page, { cache: 'only', integrity })).phases, ['cache']);
  }
});

test('what is cached is evicted while it is read', async (t) => {
  const page = await open(t);
  await loadLarge(page);
  const devtools = await page.context().newCDPSession(page);
  const loading = loadLarge(page, { integrity });
  await devtools.send('Storage.clearDataForOrigin', { origin: new URL(site.origin).origin, storageTypes: 'all' });
  const { message, loaded } = await loading;
  assert.ok(loaded >= weights.length, message);
});
