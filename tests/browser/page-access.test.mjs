// The page for everyone: by keyboard, in Korean, in the dark, on a narrow screen; and how little it loads first.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { afterFiveTokens, eventually, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';

const open = pageForTests();
const chosenTab = (page) => page.locator('[role=tab][aria-selected=true]').getAttribute('id');
const focused = (page) => page.evaluate(() => document.activeElement?.id);

test('the tabs are used by arrow keys', async (t) => {
  const page = await open(t);
  await page.focus('#tab-translate');
  const seen = [];
  for (const key of [...Array(7).fill('ArrowRight'), 'ArrowLeft', 'Home', 'End']) {
    await page.keyboard.press(key);
    seen.push(await chosenTab(page));
    assert.equal(await focused(page), seen.at(-1));
  }
  const order = ['generate', 'tokenize', 'attention', 'understand', 'learn', 'machine', 'translate', 'machine', 'translate', 'machine'];
  assert.deepEqual(seen, order.map((tab) => `tab-${tab}`));
  assert.deepEqual(await page.locator('[role=tabpanel]:visible').evaluateAll((panels) => panels.map(({ id }) => id)), ['machine']);
});

test('a tale is written and stopped by keyboard, and looked into by arrow keys', async (t) => {
  const page = await open(t, { hash: '#generate?length=400&temperature=0' });
  await afterFiveTokens(page, () => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  await page.focus('#prompt');
  await page.keyboard.press('Control+Enter');
  await page.locator('#story .step').nth(4).waitFor(PATIENCE);
  await page.locator('#generate-run:not([disabled])').waitFor(PATIENCE);
  await page.focus('#story');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.locator('#story .looked').count(), 1);
  const steps = await page.locator('#story .step').count();
  assert.ok(steps < 50, `${steps} tokens`);
  assert.match(await page.locator('#candidates-context').innerText(), new RegExp(`^Token ${steps - 1}:`));
});

test('Home and End go to the first and the last token of a tale, and keys with Alt stay the browser’s', async (t) => {
  const page = await open(t, { hash: '#generate?seed=7&length=160' });
  await page.click('#generate-run');
  await page.locator('#generate-run:not([disabled])').waitFor(PATIENCE);
  await page.focus('#story');
  const looked = () => page.locator('#story .step').evaluateAll((steps) => steps.findIndex((step) => step.classList.contains('looked')));
  await page.keyboard.press('Home');
  assert.equal(await looked(), 0);
  assert.equal(await page.locator('#story').evaluate((story) => story.scrollTop), 0);
  await page.keyboard.press('End');
  assert.equal(await looked(), await page.locator('#story .step').count() - 1);
  await page.keyboard.press('Alt+Home');
  assert.notEqual(await looked(), 0);
});

test('Hebrew and Arabic run from right to left, in what is typed and in what is shown', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  const direction = (selector) => page.locator(selector).first().evaluate((element) => getComputedStyle(element).direction);
  for (const [text, expected] of [['שלום עולם', 'rtl'], ['مرحبا بالعالم', 'rtl'], ['hello', 'ltr']]) {
    await page.click('#tab-tokenize');
    await page.fill('#text', text);
    await eventually(() => direction('.pieces'), expected);
    assert.equal(await direction('#text'), expected);
    await page.locator('.pieces').first().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press(expected === 'rtl' ? 'ArrowLeft' : 'ArrowRight');
    assert.match(await page.locator('.piece-detail').first().innerText(), /^2\./);
    await page.click('#tab-generate');
    await page.fill('#prompt', text);
    assert.equal(await direction('#prompt'), expected);
    await page.locator('#length').fill('16');
    await page.click('#generate-run');
    await page.locator('#generate-run:not([disabled])').waitFor(PATIENCE);
    assert.equal(await direction('#story'), expected);
  }
  await page.click('#tab-translate');
  await page.fill('#source', 'שלום');
  assert.equal(await direction('#source'), 'rtl');
  await eventually(() => direction('#alternatives-sentence'), 'rtl');
});

test('pieces are read one by one by arrow keys', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  await page.locator('.piece').first().waitFor(PATIENCE);
  await page.locator('.pieces').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match(await page.locator('.piece-detail').first().innerText(), /^2\./);
});

test('everything that can be focused has a name and a visible focus', async (t) => {
  const page = await open(t);
  for (const tab of ['translate', 'generate', 'tokenize', 'attention', 'understand', 'machine']) {
    await page.click(`#tab-${tab}`);
    await page.waitForTimeout(300);
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea, a, [tabindex="0"]')]
      .filter((element) => element.checkVisibility() && !element.disabled)
      .filter((element) => !(element.ariaLabel || element.labels?.[0]?.textContent.trim() || element.textContent.trim()
        || element.getAttribute('aria-labelledby'))).map(({ outerHTML }) => outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
  }
  await page.keyboard.press('Tab');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, 'solid');
});

test('Korean is chosen, kept, in the link, and complete', async (t) => {
  const page = await open(t);
  await page.click('#language-ko');
  assert.equal(await page.getAttribute('html', 'lang'), 'ko');
  await eventually(() => page.evaluate(() => location.hash.includes('lang=ko')), true);
  // names of methods, and of the languages themselves, are the same in both
  const same = /^(English|한국어|Top-k|Top-p|webformer)$/;
  const english = await page.locator('[data-t]').evaluateAll((all) => all.map((e) => e.textContent.trim()).filter((x) => !/[가-힣]/.test(x)));
  assert.deepEqual(english.filter((text) => !same.test(text)), []);
  await page.goto(new URL('/', page.url()).href);
  assert.equal(await page.getAttribute('html', 'lang'), 'ko');
  assert.equal(await page.locator('#tab-translate').innerText(), '번역');
});

test('index.html says in English what the English messages say', async (t) => {
  const page = await open(t);
  const html = await readFile(path.join(ROOT, 'demo/index.html'), 'utf8');
  const differing = await page.evaluate((source) => {
    const texts = (root) => [...root.querySelectorAll('[data-t]')].map((e) => e.textContent.replace(/\s+/g, ' ').trim());
    const shown = texts(document);
    return texts(new DOMParser().parseFromString(source, 'text/html')).filter((text, i) => text !== shown[i]);
  }, html);
  assert.deepEqual(differing, []);
});

test('the colours follow the system, until the button says otherwise', async (t) => {
  const page = await open(t, { colorScheme: 'dark' });
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await ground();
  await page.click('#theme');
  const light = await ground();
  assert.notEqual(light, dark);
  await page.reload();
  assert.equal(await ground(), light);
  await page.emulateMedia({ colorScheme: 'light' });
  assert.equal(await ground(), light);
});

test('the first view is at most 100 kB before WebAssembly and models', async (t) => {
  const page = await open(t);
  const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const origin = new URL(page.url()).origin;
  const isPage = (url) => url.startsWith(origin) && /\.(js|css|svg)$/.test(url) && !/worker|wasm|relaxed/.test(url);
  const first = [`${origin}/`, ...urls.filter(isPage)];
  let total = 0;
  for (const url of new Set(first)) total += brotliCompressSync(Buffer.from(await (await page.request.get(url)).body())).length;
  t.diagnostic(`${(total / 1000).toFixed(1)} kB, brotli, in ${first.length} files`);
  assert.ok(total <= 100_000, `${total} bytes`);
});

/** What reaches beyond the right edge; chips and the tree of beams alone are to be pushed along. */
const cutOff = (page) => page.evaluate(() => [...document.querySelectorAll('body *')]
  .filter((element) => element.checkVisibility() && !element.closest('.chips, .beam-tree, .visually-hidden'))
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 0.5)
  .map(({ outerHTML }) => outerHTML.slice(0, 80)));

for (const [width, locale] of [[390, 'en-US'], [320, 'en-US'], [320, 'ko-KR']]) {
  test(`at ${width} pixels nothing is cut off: ${locale}`, async (t) => {
    const page = await open(t, { viewport: { width, height: 844 }, locale });
    for (const tab of ['translate', 'generate', 'tokenize', 'attention', 'understand', 'machine']) {
      await page.click(`#tab-${tab}`);
      if (tab === 'generate') {
        await page.click('#generate-run');
        await page.locator('#generate-stop[disabled]').waitFor(PATIENCE);
      }
      await page.locator('[role=tabpanel]:not([aria-busy]):visible').waitFor(PATIENCE);
      await page.waitForTimeout(500);
      assert.deepEqual(await cutOff(page), [], tab);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, tab);
    }
  });
}

const LOOKS = [
  { name: 'en-light', hash: 'lang=en', colorScheme: 'light' },
  { name: 'en-dark', hash: 'lang=en', colorScheme: 'dark' },
  { name: 'ko-light', hash: 'lang=ko', colorScheme: 'light' },
  { name: 'ko-dark', hash: 'lang=ko', colorScheme: 'dark' },
  { name: 'en-light-390', hash: 'lang=en', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'ko-dark-390', hash: 'lang=ko', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
];
for (const { name, hash, ...options } of LOOKS) {
  test(`the page is looked at: ${name}`, async (t) => {
    const paragraph = 'My brother works in a bank. He gets up early every day. I have never seen such a beautiful garden.';
    const page = await open(t, { hash: `#translate?text=${encodeURIComponent(paragraph)}&${hash}`, ...options });
    await eventually(() => page.locator('#target .sentence:not(.stale)').count(), 3);
    await page.locator('#alternatives button').nth(3).waitFor(PATIENCE);
    await screenshot(page, `translate-${name}`);
    await page.click('#tab-generate');
    await page.locator('#seed').fill('7');
    await page.click('#generate-run');
    await page.locator('#generate-run:not([disabled])').waitFor(PATIENCE);
    await screenshot(page, `generate-${name}`, () => page.locator('#story .step').nth(20).hover());
    await page.click('#tab-tokenize');
    await page.locator('.card').nth(1).locator('.piece').nth(2).waitFor(PATIENCE);
    await screenshot(page, `tokenize-${name}`, async () => {
      await page.locator('.card').nth(1).locator('.piece').nth(2).hover();
      assert.ok(await page.locator('.piece.lit').count() > 1);
    });
    await page.click('#tab-attention');
    await page.locator('.matrix-cell').first().waitFor(PATIENCE);
    await screenshot(page, `attention-${name}`);
  });
}

/** Every text that the page itself shows now, with labels and titles; numbers are as they come. */
function pageTexts() {
  const data = '#story, #candidates li, .pieces, .beam-tree, .lines, .matrix, .softmax tbody, #attention-translation, [role=status], '
    + 'noscript, script';
  const isOwn = (element) => element.closest('[lang]') === document.documentElement && !element.closest(data) && element.checkVisibility();
  const texts = [document.title];
  for (const element of document.body.querySelectorAll('*')) {
    if (!isOwn(element)) continue;
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.data);
    for (const name of ['title', 'aria-label', 'aria-valuetext', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
  }
  return texts.map((text) => text.replace(/[\d.,]+/g, '#').replace(/\s+/g, ' ').trim()).filter(Boolean);
}

/** Uses all of the page, and one thing goes wrong. */
async function useEverything(page) {
  await page.fill('#source', 'I love gardens. Is that all?');
  await page.selectOption('#beams', '1');
  await eventually(() => page.locator('#target .sentence:not(.stale)').count(), 2);
  await page.click('#tab-generate');
  await page.fill('#seed', '7');
  await page.locator('#length').fill('16');
  await page.click('#generate-run');
  await eventually(async () => / · /.test(await page.locator('#generate-measure').innerText()), true);
  await eventually(() => page.isDisabled('#generate-stop'), true);
  await page.locator('#story .step').nth(2).hover();
  await page.fill('#seed', '-5');
  await page.click('#tab-understand');
  await page.locator('#understand-result li').first().waitFor(PATIENCE);
  await page.click('#tab-generate');
  await page.fill('#url', 'no/such/model/');
  await page.press('#url', 'Enter');
  await page.locator('#own-notices .notice').waitFor(PATIENCE);
}

async function textsOfTabs(page) {
  const texts = {};
  for (const tab of ['translate', 'generate', 'tokenize', 'attention', 'understand', 'machine']) {
    await page.click(`#tab-${tab}`);
    if (tab === 'tokenize') await eventually(async () => (await page.locator('.card .piece').count()) > 5, true);
    if (tab === 'attention') await page.locator('#attention-result[aria-busy="false"] .matrix-cell').first().waitFor(PATIENCE);
    if (tab === 'understand') await page.locator('#understand-result li').first().waitFor(PATIENCE);
    if (tab === 'machine') await page.locator('#machine-facts div').first().waitFor(PATIENCE);
    if (tab === 'translate') await eventually(() => page.getAttribute('#target', 'aria-busy'), 'false');
    texts[tab] = (await page.evaluate(pageTexts)).toSorted();
  }
  return texts;
}

test('a change of the language leaves nothing in the one before', async (t) => {
  const expects = /Failed to load resource/;
  const page = await open(t, { hash: '#translate?lang=en', expects });
  await useEverything(page);
  const english = await textsOfTabs(page);
  await page.click('#language-ko');
  const changed = await textsOfTabs(page);
  const other = await open(t, { hash: '#translate?lang=ko', expects });
  await useEverything(other);
  assert.deepEqual(changed, await textsOfTabs(other));
  await other.click('#language-en');
  assert.deepEqual(await textsOfTabs(other), english);

  // names of methods, builds, kinds and sites are the same in both
  const names = 'English|한국어|web|former|Top-[kp]|(relaxed )?SIMD|WebAssembly(# f#)?|WebGPU|# [kMG]B|Tatoeba.*|CC BY.*|https:.*'
    + '|network_error|# ms';
  const same = new RegExp(`^(${names})$`);
  for (const [tab, texts] of Object.entries(changed)) {
    const untranslated = texts.filter((text) => /[A-Za-z]{2}/.test(text) && !/[가-힣]/.test(text) && !same.test(text));
    assert.deepEqual(untranslated, [], tab);
    assert.deepEqual(english[tab].filter((text) => /[가-힣]/.test(text) && text !== '한국어'), [], tab);
  }
});
