// The package in pages with nothing on them, in Chromium.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';
import { bareSite } from './bare-site.mjs';
import { NO_GPU } from './console.mjs';

export { STRICT, modelsOf } from './bare-site.mjs';

/** Chromium itself reports each file that is not there. */
export const NOT_FOUND = /404 \(Not Found\)/;

/** Starts server and browser around the tests of a file. `answerOther`, `asked`, `downloaded`: as in `bareSite`. */
export function siteForTests(answerOther) {
  const site = Object.assign(bareSite(answerOther), { browser: undefined, open, another });

  before(async () => {
    await site.start();
    site.browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined, args: ['--no-sandbox'] });
  });
  after(async () => {
    await site.browser?.close();
    site.stop();
  });

  /**
   * A page in a profile of its own. Its console must stay empty but for what `expected` allows. `script`: runs in the page before all
   * others; the other options are those of the site's `set`.
   */
  async function open(t, { expected = /^$/, script, ...settings } = {}) {
    site.set(settings);
    const context = await site.browser.newContext();
    const faults = [];
    context.on('page', (page) => {
      page.workersSeen = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => faults.push(message.text()));
      page.on('worker', (worker) => page.workersSeen.push(worker.url()));
    });
    if (script) await context.addInitScript(script);
    t.after(async () => {
      await context.close();
      assert.deepEqual(
        faults.filter((text) => !expected.test(text) && text !== NO_GPU),
        [],
      );
    });
    const page = await another(context);
    site.asked.length = site.downloaded.length = 0;
    return page;
  }

  /** One more page of the same profile. */
  async function another(context) {
    const page = await context.newPage();
    await page.goto(site.origin);
    return page;
  }
  return site;
}
