// The Understand tab with models that a person drops: they have learned a text or two by heart, and must give it back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dropPaths, eventually, pageForTests, screenshot } from './page-driver.mjs';
import { CONTEXT, smallModel, TALE } from './small-models.mjs';

const open = pageForTests();
const result = (page) => page.locator('#understand-result');
const names = (page) => page.locator('#understand-result .reading-name').allInnerTexts();
const errand = (page) => page.locator('.errand-list [aria-pressed=true]').getAttribute('id');
const tab = (page) => page.locator('[role=tab][aria-selected=true]').getAttribute('id');

test('an errand without a model says so, and what to bring, with its form ready', async (t) => {
  const page = await open(t, { hash: '#understand?errand=answer' });
  await eventually(async () => /No model on this page does this yet\.[^]*question-answering/.test(await result(page).innerText()), true);
  assert.ok((await page.inputValue('#understand-text')).endsWith('?'));
  assert.ok((await page.inputValue('#understand-second')).length > 100);
  assert.deepEqual(await page.locator('#understand-model select').evaluate(({ disabled, value }) => [disabled, value]), [true, 'None yet']);
  await page.getByRole('button', { name: 'Bring a model' }).click();
  assert.match(await page.inputValue('#url'), /^hf:/);
  assert.equal(await page.evaluate(() => document.activeElement.closest('#own-model') !== null), true);
  await page.click('#language-ko');
  assert.match(await result(page).innerText(), /아직 이 페이지에 없습니다/);
});

test('a dropped model of sentiment is shown at once, and tells good from bad', async (t) => {
  const page = await open(t);
  await dropPaths(page, [await smallModel(t, 'sentiment')]);    // the tab's code is not there yet
  await eventually(() => tab(page), 'tab-understand');
  await eventually(() => errand(page), 'errand-sentiment');
  await page.fill('#understand-text', 'What a wonderful film!');
  await eventually(() => names(page), ['POSITIVE', 'NEGATIVE']);
  await page.fill('#understand-text', 'The soup was cold.');
  await eventually(() => names(page), ['NEGATIVE', 'POSITIVE']);
  await page.click('#errand-spam');
  assert.deepEqual(await page.locator('#understand-model option').allInnerTexts(), ['Spam', 'sentiment'], 'it is to be had there too');
  assert.equal(await page.inputValue('#understand-model select'), 'Spam');
  await page.click('#errand-sentiment');
  await page.getByRole('button', { name: 'Remove: sentiment' }).click();
  await eventually(async () => /No model on this page/.test(await result(page).innerText()), true);
});

test('a dropped model of inference sorts by labels of the user', async (t) => {
  const page = await open(t, { hash: '#understand' });
  await dropPaths(page, [await smallModel(t, 'inference')]);
  await eventually(() => errand(page), 'errand-labels');
  await page.fill('#understand-second', 'sport\ncooking');
  await page.fill('#understand-text', 'Stir the onions.');
  await eventually(() => names(page), ['cooking', 'sport']);
  await page.fill('#understand-text', 'He scored twice.');
  await eventually(() => names(page), ['sport', 'cooking']);
});

test('a dropped model answers, and shows where in the text', async (t) => {
  const page = await open(t, { hash: '#understand?errand=answer' });
  await dropPaths(page, [await smallModel(t, 'answers')]);
  await page.fill('#understand-second', CONTEXT);
  await page.fill('#understand-text', 'Where did the king live?');
  await eventually(async () => (await names(page))[0], 'in a castle');
  assert.equal(await page.locator('.tag-text').first().innerText(), 'in a castle');
  assert.equal((await page.locator('.tagged').textContent()).replace(/(?<=castle)1/, ''), CONTEXT);
  assert.ok((await page.evaluate(() => location.hash)).includes('context='));
  await screenshot(page, 'understand-answer-dropped');
});

test('a dropped model of names finds them, whole', async (t) => {
  const page = await open(t, { hash: '#understand' });
  await dropPaths(page, [await smallModel(t, 'persons')]);
  await eventually(() => errand(page), 'errand-slots');
  await page.fill('#understand-text', 'Mary Smith gave him a book');
  await eventually(() => page.locator('.tag-text').allInnerTexts(), ['Mary Smith']);
  assert.deepEqual(await page.locator('.tag-label').allInnerTexts(), ['PER']);
});

test('a model that translates and summarizes stays where a summary is waited for', async (t) => {
  const folder = await smallModel(t, 'summaries');
  const page = await open(t, { hash: '#understand?errand=summary' });
  await eventually(async () => /No model on this page/.test(await result(page).innerText()), true);
  await dropPaths(page, [folder]);
  await eventually(() => page.inputValue('#understand-model select'), 'summaries');
  assert.equal(await tab(page), 'tab-understand');
  await page.fill('#understand-text', TALE);
  await eventually(() => result(page).innerText(), 'A fish saved the crown.');
  const other = await open(t);
  await dropPaths(other, [folder]);
  await eventually(() => other.inputValue('#translate-model select'), 'summaries');
  assert.equal(await tab(other), 'tab-translate');
});
