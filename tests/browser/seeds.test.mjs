// The programs of tests/seeds in Chromium, as tests/node/seeds.test.mjs has them in node.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { serve } from '../../dist/cli/server.js';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { writeFolder } from '../fixtures/make_models.mjs';
import { FOLDER_OF_MODULES, missing } from '../node/golden-modules.mjs';
import { MODELS } from '../seeds/models.mjs';
import { texts } from '../seeds/texts.mjs';
import { NO_GPU } from './console.mjs';

/** Chromium itself reports each file that is not there, as some that loadModel looks for are not. */
const NOT_FOUND = /404 \(Not Found\)/;
const drawn = mkdtempSync(path.join(tmpdir(), 'webformer-'));
let browser, server;

before(async () => {
  const places = { '/dist/': path.join(ROOT, 'dist'), '/tests/': path.join(ROOT, 'tests'), '/golden/': FOLDER_OF_MODULES };
  for (const [name, source] of Object.entries(MODELS)) {
    const folder = typeof source === 'string' ? source : path.join(drawn, name);
    if (typeof source !== 'string') writeFolder(folder, source);
    places[`/models/${name}/`] = folder;
  }
  server = await serve(places);
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
});
after(async () => {
  await browser?.close();
  await server?.close();
  rmSync(drawn, { recursive: true, force: true });
});

for (const [text, programs] of Object.entries(texts)) {
  test(`the programs of the text "${text}" in a page`, async (t) => {
    // The import map is written in the page; that the package itself runs under a strict policy is package.test.mjs's to show.
    const context = await browser.newContext({ bypassCSP: true }), page = await context.newPage(), faults = [];
    t.after(() => context.close());
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => faults.push(message.text()));
    await page.goto(`${server.url}tests/seeds/page.html`);
    let compared = 0, skipped = 0;
    for (const name of Object.keys(programs)) {
      await t.test(name, async (part) => {
        const result = await page.evaluate(
          async (call) => (await import('/tests/seeds/page.mjs')).runProgram(...call), [text, name, !missing],
        );
        compared += result.compared;
        skipped += result.skipped.length;
        for (const reason of result.skipped) part.diagnostic(`skipped: ${reason}`);
      });
    }
    if (!missing) assert.ok(compared > 0, 'nothing of PyTorch was compared');
    t.diagnostic(`${compared} tensors of PyTorch compared, ${skipped} comparisons skipped`);
    assert.deepEqual(faults.filter((line) => !NOT_FOUND.test(line) && line !== NO_GPU), []);
  });
}
