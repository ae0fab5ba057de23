// The page's address: links, and the steps of the browser's history.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, golden, pageForTests, PATIENCE } from './page-driver.mjs';

const open = pageForTests();
const idle = (page) => page.locator('#generate-run:not([disabled])').waitFor(PATIENCE);

const [first, second] = (await golden('en-fr')).cases.map(({ text }) => text);

test('a link shows what its sender saw', async (t) => {
  const page = await open(t, { hash: '#tokenize?text=newer%20wider&special=0&lang=en' });
  await eventually(() => page.inputValue('#text'), 'newer wider');  // the tab's code is fetched when it is shown
  assert.equal(await page.isChecked('#special-tokens'), false);
  await page.click('#tab-translate');
  await page.fill('#source', second);
  await page.selectOption('#beams', '2');
  await eventually(() => page.evaluate(() => location.hash.includes('beams=2')), true);
  const hash = await page.evaluate(() => location.hash);
  const other = await open(t, { hash });
  assert.equal(await other.inputValue('#source'), second);
  assert.equal(await other.inputValue('#beams'), '2');
});

test('a link to a tab alone shows the page from its top', async (t) => {
  const page = await open(t, { hash: '#attention' });
  await page.locator('#attention .matrix-cell').first().waitFor(PATIENCE);
  assert.equal(await page.evaluate(() => scrollY), 0);
});

test('a link with numbers out of their bounds is read as far as it is right', async (t) => {
  const page = await open(t, { hash: '#generate?seed=9999999999&temperature=9&top-k=-3&top-p=x&length=1e9' });
  assert.equal(await page.inputValue('#seed'), '7');
  assert.equal(await page.locator('#seed-error').innerText(), '');
  assert.deepEqual(await Promise.all(['temperature', 'top-k', 'length'].map((name) => page.inputValue(`#${name}`))), ['2', '1', '400']);
  const told = () => page.locator('#link-notices p:not(.notice-title)').allInnerTexts();
  assert.deepEqual(await told(), [
    'temperature = “9”: taken as 2', 'top-k = “-3”: taken as 1', 'top-p = “x”: taken as 1', 'length = “1e9”: taken as 400',
    'seed = “9999999999”: taken as 7',
  ]);
  await page.click('#language-ko');
  assert.match((await told())[0], /대신 2 사용/);
  await page.click('#language-en');
  await page.goto(new URL('#translate?beams=99&lang=xx', page.url()).href);
  await eventually(() => page.inputValue('#beams'), '4');
  assert.deepEqual(await told(), ['lang = “xx”: taken as en', 'beams = “99”: taken as 4']);
  await page.goto(new URL('#translate?beams=2', page.url()).href);
  await eventually(told, []);
});

for (const text of ['abc', '', 'NaN', 'Infinity', '0,5', '-1', '1e400']) {
  test(`a temperature of “${text}” in a link writes a tale all the same`, async (t) => {
    const page = await open(t, { hash: `#generate?temperature=${text}&length=16` });
    assert.match(await page.locator('#link-notices').innerText(), /temperature/);
    await page.click('#generate-run');
    await idle(page);
    assert.equal(await page.locator('#story .step').count(), 16);
    assert.equal(await page.locator('#generate-notices .notice').count(), 0);
  });
}

/** Has the page hear of a followed link, or of a step back, only after `pause` ms: as on a machine that is busy. */
function hearLate(pause) {
  addEventListener('hashchange', (event) => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    setTimeout(() => dispatchEvent(new HashChangeEvent('hashchange', event)), pause);
  }, { capture: true });
}

test('a link that is followed just after something was typed is not lost', async (t) => {
  const page = await open(t);
  await page.evaluate(hearLate, 1000);
  await page.fill('#source', first);    // which the address has after a quarter of a second
  await page.goto(new URL('#generate?length=16', page.url()).href);
  await page.locator('#generate-run').waitFor(PATIENCE);
  await eventually(() => page.inputValue('#length'), '16');    // once the code of the tab is there
  await page.goBack();
  await page.locator('#source').waitFor(PATIENCE);
  assert.equal(await page.inputValue('#source'), first);
});

test('Back returns to the tab before, and takes nothing away that was typed', async (t) => {
  const page = await open(t);
  const tab = () => page.locator('[role=tab][aria-selected=true]').getAttribute('id');
  await page.fill('#source', first);    // the address has not caught up when the tab changes
  await page.click('#tab-generate');
  await page.click('#tab-translate');
  await page.fill('#source', second);
  await eventually(() => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('text')), second);
  await page.goBack();
  await eventually(tab, 'tab-generate');
  assert.equal(await page.isChecked('#keep-seed'), false, 'a step back is no link with a seed');
  await page.goBack();
  await eventually(tab, 'tab-translate');
  assert.equal(await page.inputValue('#source'), second);
  await page.goForward();
  await eventually(tab, 'tab-generate');
  await page.reload();
  await eventually(tab, 'tab-generate');
  await page.goForward();
  await eventually(tab, 'tab-translate');
  assert.equal(await page.inputValue('#source'), second, 'the address of that step says so');
});
