// What a browser lacks, how a server names the files, and pages that are put to sleep.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { bert, llama } from '../fixtures/make_models.mjs';
import { NOT_FOUND, modelsOf, siteForTests } from './bare-page.mjs';

const site = siteForTests(modelsOf({ bert: bert(), llama: llama({ length: 8192 }) }));

const outcome = (page, options = {}) =>
  page.evaluate(async (given) => {
    const { capabilities, loadModel } = await import('/dist/index.js');
    return loadModel('/models/bert/', given).then(
      async (model) => {
        model.dispose();
        return { build: (await capabilities()).build };
      },
      ({ code, message }) => ({ code, message }),
    );
  }, options);

const LACKS = {
  'no WebAssembly': { script: () => delete globalThis.WebAssembly, code: 'unsupported_platform', message: /WebAssembly is missing here/ },
  'no SIMD': {
    script: () => { WebAssembly.validate = () => false; },
    code: 'unsupported_platform', message: /WebAssembly SIMD is missing.*Safari 16\.4/,
  },
  'no workers': { script: () => delete globalThis.Worker, code: 'unsupported_platform', message: /Workers are missing.*worker: false/ },
};
for (const [name, { script, code, message }] of Object.entries(LACKS))
  test(`${name}: said by name, with what to do`, async (t) => {
    const page = await site.open(t, { expected: NOT_FOUND, script });
    const error = await outcome(page);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    if (name === 'no workers') assert.deepEqual(await outcome(page, { worker: false }), { build: 'relaxed-simd' });
  });

test('WebAssembly files of another content type are compiled all the same', async (t) => {
  for (const type of ['text/plain', 'application/octet-stream', '']) {
    const page = await site.open(t, { expected: NOT_FOUND, types: { '.wasm': type } });
    assert.deepEqual(await outcome(page), { build: 'relaxed-simd' }, type);
  }
});

test('a script that the server names as something else is told from one that is missing', async (t) => {
  const page = await site.open(t, { expected: /MIME|404 \(Not Found\)/ });
  await page.evaluate(() => import('/dist/index.js'));
  site.set({ types: { '.js': 'text/plain' } });
  const { code, message } = await outcome(page);
  assert.equal(code, 'unsupported_platform');
  assert.match(message, /worker\.js/);
});

test('a page that stands still while text comes, as one that is frozen, has all of it afterwards', async (t) => {
  const page = await site.open(t, { expected: NOT_FOUND });
  const result = await page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    const model = await loadModel('/models/llama/');
    const run = model.generate('a', { maxNewTokens: 500, minNewTokens: 500 });
    let pieces = 0;
    for await (const piece of run)
      if (piece && ++pieces === 3)
        for (const end = performance.now() + 4000; performance.now() < end;);    // longer than a worker's sign of life may take
    const { usage } = await run.result();
    model.dispose();
    return { pieces, made: usage.newTokens };
  });
  assert.equal(result.made, 500);
  assert.ok(result.pieces > 3, `${result.pieces} pieces`);
});

test('a page that comes back has its model, or says that the worker is gone', async (t) => {
  site.set();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || undefined, args: ['--no-sandbox'], ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(site.origin);
  await page.evaluate(async () => {
    const { loadModel } = await import('/dist/index.js');
    addEventListener('pageshow', ({ persisted }) => { globalThis.persisted = persisted; });
    globalThis.model = await loadModel('/models/bert/');
    globalThis.before = [...(await model.embed('the fox')).data];
  });
  await page.goto(`${site.origin}dist/index.d.ts`);
  await page.goBack({ waitUntil: 'commit' });
  await page.waitForTimeout(500);
  const kept = await page.evaluate(() => globalThis.persisted === true);
  t.diagnostic(kept ? 'the page was kept, and its worker with it' : 'this browser keeps no page that has a worker');
  if (!kept) return;
  const same = await page.evaluate(async () => {
    const after = await model.embed('the fox').then(({ data }) => [...data], ({ code }) => code);
    return after === 'worker_crashed' || JSON.stringify(after) === JSON.stringify(before);
  });
  assert.ok(same);
});
