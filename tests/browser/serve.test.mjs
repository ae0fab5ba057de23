// The page of `webformer serve MODEL`, in a browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../../wasm/setup/chromium.mjs';
import { EN_FR, TALES, served } from '../node/cli-support.mjs';
import { PATIENCE, golden } from './page-driver.mjs';

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
});
after(() => browser?.close());

/** Serves a model and opens its page; what the page does wrong is collected. */
async function opened(t, model) {
  const { url } = await served(t, model);
  const page = await browser.newPage();
  t.after(() => page.close());
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.goto(url.href);
  return { page, faults };
}

test('a model is tried on its page: what it is, a translation, its tokens', async (t) => {
  const { page, faults } = await opened(t, EN_FR);
  await page.getByRole('button', { name: 'Run' }).waitFor(PATIENCE);
  assert.match(await page.locator('#status').innerText(), /^marian, 3,293,\d{3} parameters, f16$/);
  assert.equal(await page.getByRole('heading').innerText(), 'en-fr');
  const { text, ids } = (await golden('en-fr')).cases[3];
  await page.getByLabel('Text').fill(text);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Done.').waitFor(PATIENCE);
  const answer = page.locator('output');
  assert.equal(await answer.innerText(), 'Est-ce tout ?');

  await page.getByLabel('Task').selectOption('Tokenize');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Done.').waitFor(PATIENCE);
  assert.deepEqual(
    (await answer.innerText())
      .trim()
      .split('\n')
      .map((line) => parseInt(line)),
    ids,
  );
  assert.deepEqual(faults, []);
});

test('a tale can be stopped, and an error is said on the page', async (t) => {
  const { page, faults } = await opened(t, TALES);
  await page.getByRole('button', { name: 'Run' }).waitFor(PATIENCE);
  assert.deepEqual(await page.getByLabel('Task').locator('option').allInnerTexts(), ['Generate', 'Tokenize']);
  await page.getByLabel('Text').fill('Once upon a time');
  await page.evaluate(() => {
    new MutationObserver((_, observer) => {
      observer.disconnect();
      document.getElementById('stop').click();
    }).observe(document.getElementById('answer'), { childList: true });
  });
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Stopped.').waitFor(PATIENCE);
  assert.deepEqual(faults, []);

  await page.goto(new URL('?model=nowhere/', page.url()).href);
  const status = page.locator('#status', { hasText: /config\.json|404/ });
  await status.waitFor(PATIENCE);
  assert.match(await status.innerText(), /nowhere/);
});
