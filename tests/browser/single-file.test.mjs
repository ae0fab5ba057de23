// The single file in Chromium: under policies that let it fetch nothing, and from the disk, where modules, workers and fetches are refused.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { loadModel } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { temporaryFolder } from '../node/support.mjs';
import { NO_GPU } from './console.mjs';

const ROOT = path.join(import.meta.dirname, '../..'), EN_FR = path.join(ROOT, 'demo/models/en-fr');
const FILE = fileURLToPath(import.meta.resolve('webformer/single-file'));
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";

let browser, server, origin, policy;
const asked = [];

before(async () => {
  server = createServer(({ url }, response) => {
    asked.push(url);
    if (url === '/single-file.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(FILE));
    const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
    return response.writeHead(200, headers).end('<!doctype html><title>test</title>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined, args: ['--no-sandbox'] });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** An open page; `faults` has what its console said. */
async function open(t, url) {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage(), faults = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => message.text() !== NO_GPU && faults.push(message.text()));
  await page.goto(url);
  asked.length = 0;
  return { page, faults };
}

/** What a model of bytes that are on the page says there, and where it said it. */
const embedOnPage = (page) =>
  page.evaluate(async (files) => {
    const { attention, capabilities, loadModel } = await import('/single-file.js');
    const bytes = files.map(([name, text]) => [name, Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))]);
    const model = await loadModel(new Map(bytes));
    const { data } = await model.embed('the fox');
    const row = { data: Float32Array.of(1, 2), shape: [1, 2] };
    const piece = await attention(row, row, row);
    return { embedding: [...data], piece: [...piece.output.data], reasons: (await capabilities()).reasons };
  }, [...bert()].map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]));

async function checkEmbedding({ embedding, piece }) {
  const model = await loadModel(bert());
  const { data } = await model.embed('the fox');
  model.dispose();
  embedding.forEach((value, i) => assert.ok(Math.abs(value - data[i]) < 1e-4));
  assert.deepEqual(piece, [1, 2]);
}

test('where the page may fetch nothing, a model is in a worker that the page allows', async (t) => {
  policy = `${POLICY}; worker-src blob:`;
  const { page, faults } = await open(t, origin);
  const result = await embedOnPage(page);
  await checkEmbedding(result);
  assert.deepEqual(asked, ['/single-file.js']);
  assert.deepEqual(page.workers().map((worker) => worker.url().slice(0, 5)), ['blob:']);
  assert.doesNotMatch(result.reasons.join(), /worker/);
  assert.deepEqual(faults, []);
});

test('where the page allows no such worker, the model is in the thread of the page', async (t) => {
  policy = `${POLICY}; worker-src 'self'`;
  const { page, faults } = await open(t, origin);
  const result = await embedOnPage(page);
  await checkEmbedding(result);
  assert.deepEqual(asked, ['/single-file.js']);
  assert.deepEqual(page.workers(), []);
  assert.match(result.reasons.join(), /allows no worker from the single file/);
  assert.ok(faults.every((text) => /Content Security Policy/.test(text)), faults.join());
});

test('a page on the disk translates with files that its user chooses', async (t) => {
  const folder = temporaryFolder(t);
  cpSync(path.join(ROOT, 'tests/bundlers/html/file.html'), path.join(folder, 'file.html'));
  cpSync(path.join(path.dirname(FILE), 'single-file.global.js'), path.join(folder, 'webformer/single-file.global.js'));
  const { page, faults } = await open(t, pathToFileURL(path.join(folder, 'file.html')).href);
  const names = readdirSync(EN_FR).filter((name) => /^(?!golden).*\.(json|safetensors)$/.test(name));
  await page.setInputFiles('input', names.map((name) => path.join(EN_FR, name)));
  await page.waitForFunction(() => document.querySelector('output').value, undefined, { timeout: 60_000 });
  assert.equal(await page.evaluate(() => document.querySelector('output').value), 'Où se trouve la gare ?');
  assert.deepEqual(page.workers().map((worker) => worker.url().slice(0, 5)), ['blob:']);
  assert.deepEqual(faults, []);
});
