// The attention kernel of web/gpu in Chromium, on SwiftShader.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { bundled } from '../gpu/bundle.mjs';
import { CHROMIUM_OPTIONS } from '../gpu/software.mjs';

const TOLERANCE = 1e-4;
const RANDOM_CASES = 300;
/** Cases of one message to the page. */
const AT_ONCE = 25;

let browser, server, page;

before(async () => {
  const script = await bundled('suite');
  server = createServer((request, response) => {
    const isScript = request.url === '/suite.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><title>test</title>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined, args: ['--no-sandbox', ...CHROMIUM_OPTIONS] });
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.evaluate(async () => {
    globalThis.suite = await import('/suite.js');
    globalThis.device = await suite.Device.open();
    globalThis.kernel = new suite.AttentionKernel(device);
  });
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

const wrong = (comparisons) => comparisons.filter(({ worst, finite }) => !(worst <= TOLERANCE && finite));

test(`${RANDOM_CASES} random cases of every kind of mask agree with the oracle`, async () => {
  const comparisons = [];
  for (let first = 0; first < RANDOM_CASES; first += AT_ONCE)
    comparisons.push(...(await page.evaluate(([seed, count]) => suite.compareRandom(kernel, seed, count), [first, AT_ONCE])));
  assert.equal(comparisons.length, RANDOM_CASES);
  assert.deepEqual(wrong(comparisons), []);
});

test('the edges agree with the oracle', async () => {
  assert.deepEqual(wrong(await page.evaluate(() => suite.compareEdges(kernel))), []);
});

test('a bad number in the query, a key or a value is reported', async () => {
  assert.deepEqual(await page.evaluate(() => suite.findUnreported(kernel)), []);
});

test('a destroyed device fails what is under way, and another takes its place', async () => {
  const messages = await page.evaluate(async () => {
    const args = suite.makeArgs(suite.randomFrom(1), { queries: 4, keys: 4 });
    const lost = await suite.Device.open();
    const underWay = new suite.AttentionKernel(lost).run(args);
    lost.handle.destroy();
    const first = await underWay.catch((error) => error.message);
    const { finite } = await new suite.AttentionKernel(await suite.Device.open()).run(args);
    return [first, finite];
  });
  assert.match(messages[0], /^the GPU device was lost \(destroyed/);
  assert.equal(messages[1], true);
});
