// The package where there is no bundler: a plain page under a strict policy, and an extension.
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { HERE, MODELS, TRANSLATION, checkPage, pages } from '../bundlers/projects.mjs';
import { temporaryFolder } from '../node/support.mjs';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';

const DIST = path.dirname(fileURLToPath(import.meta.resolve('webformer')));

/** A copy of the project `name` with the package's files in its folder `webformer`. */
function withPackage(t, name) {
  const folder = temporaryFolder(t);
  cpSync(path.join(HERE, name), folder, { recursive: true });
  cpSync(DIST, path.join(folder, 'webformer'), { recursive: true });
  return folder;
}

const show = pages();

test('a page of plain HTML translates in a worker under a strict policy', async (t) => {
  const shown = await show(t, withPackage(t, 'html'));
  checkPage(shown);
  const worker = await shown.page.evaluate(() => new Worker('data:text/javascript,') && 0).catch(({ message }) => message);
  assert.match(String(worker) + shown.faults.join(), /worker-src 'self'/, 'the policy is in force');
});

test('an extension (manifest version 3) translates in its popup and in its service worker', async (t) => {
  const folder = withPackage(t, 'extension');
  cpSync(path.join(MODELS, 'en-fr'), path.join(folder, 'models/en-fr'), { recursive: true });
  const context = await chromium.launchPersistentContext('', {
    executablePath: chromiumPath(), ignoreDefaultArgs: ['--disable-extensions'],
    args: ['--no-sandbox', `--disable-extensions-except=${folder}`, `--load-extension=${folder}`],
  });
  t.after(() => context.close());
  const background = context.serviceWorkers()[0] ?? await context.waitForEvent('serviceworker');
  const page = await context.newPage(), faults = [], workers = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => faults.push(message.text()));
  page.on('worker', (worker) => workers.push(worker.url()));
  await page.goto(new URL('popup.html', background.url()).href);
  await page.waitForFunction(() => document.querySelector('output').value !== 'loading', undefined, { timeout: 60_000 });
  assert.equal(await page.evaluate(() => document.querySelector('output').value), TRANSLATION);
  assert.deepEqual(workers, [new URL('webformer/worker.js', background.url()).href]);
  assert.equal(await page.evaluate(() => chrome.runtime.sendMessage('Where is the station?')), TRANSLATION);
  assert.deepEqual(faults, []);
});
