// Downloads that are cut off, and go on where they were: in Chromium, with its own IndexedDB and Cache Storage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NOT_FOUND, siteForTests } from './bare-page.mjs';
import { CHUNK, WEIGHTS, chunksIn, largeModel, largeWeights, loadLarge, sendPart, sha256, startOf } from './large-model.mjs';

const weights = largeWeights(), others = largeWeights(7);
const integrity = { [WEIGHTS]: sha256(weights) };
const CUT = 3 * CHUNK - 1000;  // within the third chunk
const RESUMED = `bytes=${2 * CHUNK}-`;
const QUIET = /404 \(Not Found\)|net::ERR_/;

const model = largeModel();
const site = siteForTests(model.answer);

async function chunksReach(page, count) {
  const end = performance.now() + 20_000;
  while ((await chunksIn(page)) < count) {
    assert.ok(performance.now() < end, `${count} chunks are kept in time`);
    await sleep(50);
  }
}

/** A page in which a download was cut off after two whole chunks. */
async function cutOff(t, options = {}) {
  const page = await site.open(t, { expected: QUIET });
  model.gets = [];
  model.send = (request, response) => sendPart(request, response, weights, { until: CUT, ...options });
  const { code, message } = await loadLarge(page);
  assert.equal(code, 'network_error');
  assert.match(message, new RegExp(`the download is not whole: \\d+ bytes arrived of ${weights.length}`));
  assert.deepEqual(model.gets, ['whole']);
  model.gets = [];
  return page;
}

/** The file is in the cache as it should be, and nothing else is kept of it. */
async function assertKept(page, sums = integrity) {
  const again = await loadLarge(page, { cache: 'only', integrity: sums });
  assert.deepEqual(again.phases, ['cache'], again.message);
  assert.equal(await chunksIn(page), 0);
}

test('a download goes on where it was cut off', async (t) => {
  const page = await cutOff(t);
  assert.equal(await chunksIn(page), 2);
  model.send = (request, response) => sendPart(request, response, weights);
  const { fractions, loaded, message } = await loadLarge(page, { integrity });
  assert.deepEqual(model.gets, [RESUMED], message);
  assert.equal(loaded, weights.length);
  assert.deepEqual(fractions, [...fractions].sort((a, b) => a - b));
  assert.equal(fractions.at(-1), 1);
  await assertKept(page);
});

test('it may be cut off again, and go on in another page of another day', async (t) => {
  const page = await cutOff(t, { until: CHUNK + 1000 });
  model.send = (request, response) => sendPart(request, response, weights, { until: CUT });
  assert.equal((await loadLarge(page)).code, 'network_error');
  const next = await site.another(page.context());
  await page.close();
  model.send = (request, response) => sendPart(request, response, weights);
  assert.deepEqual((await loadLarge(next, { integrity })).phases, ['download']);
  assert.deepEqual(model.gets, [`bytes=${CHUNK}-`, RESUMED]);
  await assertKept(next);
});

test('what an abort, or a page that is closed, leaves behind is gone on with', async (t) => {
  const page = await site.open(t, { expected: QUIET });
  const stalled = (until) => (request, response) => {
    response.writeHead(startOf(request) ? 206 : 200, {
      etag: '"1"', 'cache-control': 'no-store', 'content-length': weights.length - startOf(request),
      'content-range': `bytes ${startOf(request)}-${weights.length - 1}/${weights.length}`,
    });
    response.write(weights.subarray(startOf(request), until));
  };
  const start = (on) => on.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    globalThis.controller = new AbortController();
    globalThis.loading = loadModel('/large/', { signal: controller.signal }).catch((error) => error.code);
  });
  model.gets = [];
  model.send = stalled(CHUNK + 1000);
  await start(page);
  await chunksReach(page, 1);
  assert.equal(await page.evaluate(() => (controller.abort(), loading)), 'aborted');
  model.send = stalled(CUT);
  await start(page);
  const next = await site.another(page.context());
  await chunksReach(next, 2);
  await page.close();
  model.send = (request, response) => sendPart(request, response, weights);
  await loadLarge(next, { integrity });
  assert.deepEqual(model.gets, ['whole', `bytes=${CHUNK}-`, RESUMED]);
  await assertKept(next);
});

test('where the server has another file by now, or does not do what was asked, the download starts over', async (t) => {
  const whole = (content, options) => (request, response) => {
    delete request.headers.range;
    sendPart(request, response, content, options);
  };
  const total = weights.length, start = 2 * CHUNK;
  const range = (text) => (request, response) => sendPart(request, response, weights, { headers: { 'content-range': text } });
  const cases = {
    'another ETag': [(request, response) => sendPart(request, response, others, { etag: '"2"' }), others, 2],
    'no ETag': [(request, response) => sendPart(request, response, weights, { etag: null }), weights, 2],
    'the whole of the same file': [whole(weights), weights, 1],
    'the whole of another file': [whole(others, { etag: '"2"' }), others, 1],
    'a range that cannot be had': [
      (request, response) =>
        startOf(request) ? response.writeHead(416, { 'content-range': `bytes */${total}` }).end() : whole(weights)(request, response),
      weights, 2,
    ],
    'a range from elsewhere': [range(`bytes ${start - 1}-${total - 1}/${total}`), weights, 2],
    'a range of a shorter file': [range(`bytes ${start}-${total - 2}/${total - 1}`), weights, 2],
    'a range without end': [range('bytes */*'), weights, 2],
    'a range in a code': [
      (request, response) => (startOf(request)
        ? sendPart(request, response, weights, { headers: { 'content-encoding': 'br' } }) : sendPart(request, response, weights)),
      weights, 2, 2, // as such bytes are no Brotli, the answer is an error, and is asked for once more
    ],
  };
  for (const [name, [send, content, requests, parts = 1]] of Object.entries(cases)) {
    await t.test(name, async (each) => {
      const page = await cutOff(each);
      model.send = send;
      const sums = { [WEIGHTS]: sha256(content) };
      const { phases, message, fractions } = await loadLarge(page);
      assert.deepEqual(phases, ['download'], message);
      assert.deepEqual(fractions, [...fractions].sort((a, b) => a - b));
      assert.deepEqual(model.gets, [...Array(parts).fill(RESUMED), ...Array(requests - 1).fill('whole')]);
      await assertKept(page, sums);
    });
  }
});

test('a rest that does not belong to the start is found out by the checksum, and the download starts over', async (t) => {
  const page = await cutOff(t);
  model.send = (request, response) => sendPart(request, response, startOf(request) ? others : weights);
  assert.deepEqual((await loadLarge(page, { integrity })).phases, ['download']);
  assert.deepEqual(model.gets, [RESUMED, 'whole']);
  await assertKept(page);
});

test('of a file with a wrong checksum nothing is kept', async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND });
  model.send = (request, response) => sendPart(request, response, others);
  model.gets = [];
  const { code, message } = await loadLarge(page, { integrity });
  assert.equal(code, 'integrity_error');
  assert.match(message, new RegExp(`${WEIGHTS}: SHA-256 ${sha256(others)} found, ${sha256(weights)} expected`));
  assert.deepEqual(model.gets, ['whole']);
  assert.equal(await chunksIn(page), 0);
  assert.match((await loadLarge(page, { cache: 'only' })).message, /no weights found/);
});

test('without an ETag that is strong, no part is kept', async (t) => {
  for (const etag of [null, 'W/"1"']) {
    const page = await cutOff(t, { etag });
    assert.equal(await chunksIn(page), 0);
    model.send = (request, response) => sendPart(request, response, weights, { etag });
    assert.deepEqual((await loadLarge(page)).phases, ['download']);
    assert.deepEqual(model.gets, ['whole']);
  }
});

test('a rest that cannot be reached is no reason to forget the start', async (t) => {
  const page = await cutOff(t);
  model.send = (request, response) => response.destroy();
  assert.match((await loadLarge(page)).message, /could not be reached/);
  assert.equal(await chunksIn(page), 2);
  model.send = (request, response) => sendPart(request, response, weights);
  await loadLarge(page, { integrity });
  assert.equal(model.gets.at(-1), RESUMED);
});
