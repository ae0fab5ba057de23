// The page without a network, after one visit; and that a new version is not held up by what was kept of the one before.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { DEMO } from '../../demo/build.mjs';
import { serve } from '../../dist/cli/server.js';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { dropPaths, EMBEDDED, eventually, golden, MODELS, PATIENCE } from './page-driver.mjs';

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
});
after(() => browser?.close());

/** Serves `folder` and visits it until the page has all that it needs. */
async function visited(t, folder) {
  const server = await serve({ '/': folder });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US' });
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  t.after(async () => {
    await context.close();
    await server.close();
    assert.deepEqual(faults, []);
  });
  await page.goto(server.url);
  await eventually(() => page.locator('#status-offline').innerText(), 'ready');
  return { server, page };
}

const translates = async (page) => {
  const { text, beam } = (await golden('en-fr')).cases[0];
  await page.click('#tab-translate');
  await page.fill('#source', text);
  await eventually(() => page.locator('#target').innerText(), beam.text);
};

test('offline: load once, stop the server, drop a model; reload, translate, write, tokenize', async (t) => {
  const { server, page } = await visited(t, DEMO);
  await server.close();
  await dropPaths(page, [path.join(MODELS, 'tales')]);    // which needs a worker of its own
  await eventually(() => page.locator('#models tr th').allInnerTexts(), [...EMBEDDED, 'tales']);

  await page.reload();
  await translates(page);
  const [{ prompt, greedy_text: expected }] = (await golden('tales')).cases;    // a model that the first visit did not use
  await page.goto(`${server.url}#generate?temperature=0&length=16&text=${encodeURIComponent(prompt)}`);
  await page.click('#generate-run');
  await page.locator('#generate-run:not([disabled])').waitFor(PATIENCE);
  assert.ok((await page.locator('#story').textContent()).startsWith(prompt + expected.slice(0, 20)));
  await page.click('#tab-tokenize');
  await eventually(() => page.locator('.card-count').count(), 2);
  assert.equal(await page.evaluate(() => crossOriginIsolated), true, 'the headers are kept with the files');
  await page.goto(`${server.url}?from=home`);
  await translates(page);
});

test('offline: an errand that was used once works, and one that was not says what it lacks', async (t) => {
  const { server, page } = await visited(t, DEMO);
  await page.click('#tab-understand');
  await page.locator('.tag').first().waitFor(PATIENCE);
  await server.close();
  await page.reload();
  await page.fill('#understand-text', 'Birds sing.');
  await eventually(() => page.locator('.tag-label').allInnerTexts(), ['noun', 'verb', 'mark']);
  await page.click('#errand-spam');
  await eventually(() => page.locator('#understand-notices code').allInnerTexts(), ['network_error']);
  await page.click('#errand-similar');    // by the tale teller, which is kept from the first visit on
  await page.locator('#understand-result li').first().waitFor(PATIENCE);
});

test('a new version shows at the next visit, and what was kept of the one before goes', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'webformer-page-'));
  t.after(() => rm(folder, { recursive: true }));
  await cp(DEMO, folder, { recursive: true });
  const { server, page } = await visited(t, folder);
  const kept = () => page.evaluate(() => caches.keys().then((names) => names.filter((name) => name.startsWith('webformer-page-'))));
  const [first] = await kept();
  const change = async (name, from, to) => {
    const text = await readFile(path.join(folder, name), 'utf8');
    assert.ok(text.includes(from), from);
    await writeFile(path.join(folder, name), text.replaceAll(from, to));
  };
  await change('index.html', '<main ', '<main data-version="2" ');
  await change('service-worker.js', first.replace('webformer-page-', ''), 'another');
  await page.reload();
  assert.equal(await page.getAttribute('main', 'data-version'), '2');
  await eventually(kept, ['webformer-page-another']);
  await server.close();
  await page.reload();
  assert.equal(await page.getAttribute('main', 'data-version'), '2');
});

test('the page can be installed', async (t) => {
  const { page } = await visited(t, DEMO);
  const client = await page.context().newCDPSession(page);
  const { errors } = await client.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
  // tests run in profiles like those of private windows
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'), []);
});
