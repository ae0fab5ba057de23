// Byte-pair encoding step by step. Expected pieces: of the package's own trainer and tokenizers, in node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trainTokenizer } from '../../dist/index.js';
import { eventually, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';

const open = pageForTests();
const WORDS = 'lowest lower newer wider';
const KOREAN = '먹었다 먹는다 먹겠다 웃었다 먹었다';

/** The words as a tokenizer of `vocabSize` pieces cuts them, which is trained to that size and no further. */
async function piecesOf(text, vocabSize) {
  const { steps, words } = (await trainTokenizer('bpe', [text], { vocabSize })).trace(text);
  return [...new Set(words)].map((word) => steps.findLast((step) => step.word === word).pieces);
}
const shownPieces = (page) => page.locator('.merge-pieces').evaluateAll((words) =>
  words.map((word) => [...word.children].map(({ textContent }) => textContent)));
const progress = (page) => page.locator('#merge-of').innerText();

test('without words there is nothing to merge, which is no failure', async (t) => {
  const page = await open(t);
  await page.click('#tab-tokenize');
  await eventually(() => progress(page), '0 of 13 merges');    // opened by a click, not by a link
  await page.fill('#merge-text', ' ');
  await eventually(() => page.locator('#merge-about').innerText(), 'There are no two characters to merge.');
  assert.equal(await page.locator('#merge-notices .notice').count(), 0);
});

test('each step cuts the words as a tokenizer trained to that size does', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  await eventually(() => progress(page), '0 of 13 merges');
  const alphabet = new Set(WORDS.replaceAll(' ', '')).size;
  for (let merges = 0; merges <= 13; merges++) {
    assert.deepEqual(await shownPieces(page), await piecesOf(WORDS, alphabet + merges), `after ${merges} merges`);
    assert.equal(await page.locator('.vocabulary-piece').count(), alphabet + merges);
    if (merges < 13) await page.click('#merge-next');
  }
  assert.equal(await page.isDisabled('#merge-next'), true);
  assert.match(await page.locator('#merge-more').innerText(), /each word is one piece/);
});

test('pairs are counted over all words, and the most frequent is merged next', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  await eventually(() => progress(page), '0 of 13 merges');
  const rows = () => page.locator('#merge-pairs tr').evaluateAll((all) =>
    all.map((row) => [...row.children].slice(0, 2).map((cell) => cell.innerText)));
  // counted by hand: er in lower, newer, wider; lo, ow and we in lowest and lower; the others once
  assert.deepEqual((await rows()).slice(0, 4), [['e + r is merged next', '3×'], ['w + e', '3×'], ['l + o', '2×'], ['o + w', '2×']]);
  await page.click('#merge-next');
  assert.match(await page.locator('#merge-about').innerText(), /^Merge 1: “e” and “r” stood side by side 3 times, and become “er”\.$/);
  assert.deepEqual(await page.locator('.merge-piece.new').allInnerTexts(), ['er', 'er', 'er']);
  assert.deepEqual((await rows())[0], ['l + o is merged next', '2×']);
});

test('the steps are taken by keyboard, and are in the link', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  await eventually(() => progress(page), '0 of 13 merges');
  await page.focus('#merge-next');
  for (const key of ['Enter', 'Enter', ' ']) await page.keyboard.press(key);
  assert.equal(await progress(page), '3 of 13 merges');
  await page.focus('#merge-step');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getAttribute('#merge-step', 'aria-valuetext'), '4 of 13 merges');
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'merge-back', 'Next merge cannot be used at the end');
  await page.keyboard.press('Enter');
  await eventually(() => page.evaluate(() => /step=12/.test(location.hash)), true);
  const other = await open(t, { hash: await page.evaluate(() => location.hash) });
  await eventually(() => progress(other), '12 of 13 merges');
  assert.deepEqual(await shownPieces(other), await shownPieces(page));
});

test('other words, Korean ones too, are merged anew; a link beyond the last merge is told so', async (t) => {
  const page = await open(t, { hash: `#tokenize?words=${encodeURIComponent(KOREAN)}&step=999` });
  await eventually(async () => /step = “999”: taken as \d/.test(await page.locator('#link-notices').innerText()), true);
  assert.match(await page.locator('#merge-words').innerText(), /2 times/);
  assert.deepEqual(await shownPieces(page), [['먹었다'], ['먹는다'], ['먹겠다'], ['웃었다']]);
  await page.fill('#merge-text', '');
  await eventually(() => progress(page), '0 of 0 merges');
  assert.match(await page.locator('#merge-about').innerText(), /no two characters/);
  await page.locator('#merge-examples button').nth(1).click();
  await eventually(async () => (await page.locator('.merge-pieces').count()) > 5, true);
});

for (const colorScheme of ['light', 'dark']) {
  test(`merging is looked at in Korean: ${colorScheme}`, async (t) => {
    const page = await open(t, { hash: `#tokenize?step=3&words=${encodeURIComponent(KOREAN)}&lang=ko`, colorScheme });
    await page.locator('.merge-piece.new').first().waitFor(PATIENCE);
    await screenshot(page, `merging-ko-${colorScheme}`);
  });
}
