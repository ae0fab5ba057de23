// A Chromium with the built page in it, for the tests of the page: it notes every error, and every breach of the CSP.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { DEMO } from '../../demo/build.mjs';
import { serve } from '../../dist/cli/server.js';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { BUILD, ROOT } from '../../wasm/setup/paths.mjs';
import { NO_GPU } from './console.mjs';

export const MODELS = path.join(ROOT, 'demo/models');
const SCREENSHOTS = path.join(BUILD, 'screenshots');
/** A first use downloads and compiles; on a busy machine that takes its time. */
export const PATIENCE = { timeout: 60_000 };

const NO_SERVICE_WORKER = 'Service Worker registration blocked by Playwright';

/** What the page calls the models that it comes with, in its order. */
export const EMBEDDED = [
  'English to French', 'French to English', 'Tale teller', 'Parts of speech', 'Slots', 'Intents', 'Spam', 'Gap filler',
];

export const golden = async (model) => JSON.parse(await readFile(path.join(MODELS, model, 'golden.json'), 'utf8'));

/** Notes what the page does wrong, and how far its parts have moved by themselves. */
function watchPage() {
  globalThis.violations = [];
  globalThis.shifts = [];
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violations.push(`${violatedDirective} ${blockedURI}`));
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts.push(value);
  }).observe({ type: 'layout-shift', buffered: true });
}

/** Starts server and browser around the tests of a file; gives a function that opens the page for one test. */
export function pageForTests() {
  let browser, server;
  before(async () => {
    assert.ok(existsSync(path.join(DEMO, 'page.js')), 'the page is built: npm run build');
    server = await serve({ '/': DEMO });
    browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  /**
   * `hash`: where to start, as in a link; `expects`: what the console may say; the other options are those of a browser context. Each test
   * has a browser's profile of its own, in which the service worker would fetch the whole page anew: it has tests of its own.
   */
  return async function open(t, { hash = '', expects, ...options } = {}) {
    const usual = { viewport: { width: 1280, height: 900 }, locale: 'en-US', serviceWorkers: 'block' };
    const context = await browser.newContext({ ...usual, ...options });
    const page = await context.newPage();
    const faults = [];
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (message.text() === NO_GPU || message.text() === NO_SERVICE_WORKER || expects?.test(message.text())) return;
      if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
    });
    await page.addInitScript(watchPage);
    t.after(async () => {
      const violations = await page.evaluate(() => globalThis.violations);
      await context.close();
      assert.deepEqual([...violations, ...faults], [], 'no CSP violation and no console error');
    });
    await page.goto(server.url + hash);
    await page.locator('[role=tabpanel]:not([aria-busy]):visible').waitFor(PATIENCE);    // with the code of its own
    return page;
  };
}

/** The whole page, after `prepare` has pointed at something on it. */
export async function screenshot(page, name, prepare = async () => {}) {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const { width, height } = page.viewportSize();
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: whole });    // so that the strip at the foot covers nothing
  await prepare();
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`), animations: 'disabled' });
  await page.setViewportSize({ width, height });
}

/** Waits until `read`, called in node, gives `expected`. */
export async function eventually(read, expected, { timeout } = PATIENCE) {
  const end = Date.now() + timeout;
  let value = await read();
  while (JSON.stringify(value) !== JSON.stringify(expected) && Date.now() < end) {
    await new Promise((resolve) => { setTimeout(resolve, 50); });
    value = await read();
  }
  assert.deepEqual(value, expected);
}

/** Drops files or folders of this machine on the page, as a file manager does. */
export async function dropPaths(page, paths) {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) await client.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data });
  await client.detach();
}

/** Calls `act` in the page as soon as a tale has five tokens: a call from here would come after hundreds. */
export async function afterFiveTokens(page, act) {
  await page.evaluate(`new MutationObserver((_, observer) => {
    if (document.querySelectorAll('#story .step').length < 5) return;
    observer.disconnect();
    (${act})();
  }).observe(document.getElementById('story'), { childList: true })`);
}
