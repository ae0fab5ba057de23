// From which language to which: the two models of the page, and the button that turns from one to the other.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { dropPaths, eventually, MODELS, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';
import { PAIR, smallModel } from './small-models.mjs';

const open = pageForTests();
const source = (page) => page.inputValue('#source');
const target = async (page) => (await page.locator('#target[aria-busy="false"]').innerText()).trim();
const labels = (page) => page.locator('#source-label, #target-label').allInnerTexts();
const swap = (page) => page.locator('#translate-swap');

/** What the package makes of it in node. */
async function translated(t, name, text) {
  const model = await loadModel(path.join(MODELS, name));
  t.after(() => model.dispose());
  return model.translate(text, { numBeams: 4 }).text();
}

test('a turn takes the translation to the left, and translates it back', async (t) => {
  const page = await open(t);
  await page.fill('#source', 'I love you.');
  const french = await translated(t, 'en-fr', 'I love you.');
  await eventually(() => target(page), french);
  assert.deepEqual(await labels(page), ['English', 'French']);
  await page.getByRole('button', { name: 'Swap: French to English' }).click();
  assert.equal(await source(page), french);
  assert.deepEqual(await labels(page), ['French', 'English']);
  const tags = await Promise.all(['#source', '#target', '#alternatives-sentence'].map((id) => page.getAttribute(id, 'lang')));
  assert.deepEqual(tags, ['fr', 'en', 'fr']);
  assert.equal(await page.inputValue('#translate-model select'), 'French to English');
  const english = await translated(t, 'fr-en', french);
  await eventually(() => target(page), english);
  await swap(page).focus();    // by keyboard
  await page.keyboard.press('Enter');
  assert.equal(await source(page), english);
  assert.deepEqual(await labels(page), ['English', 'French']);
  await page.selectOption('#translate-model select', 'French to English');
  assert.equal(await source(page), english, 'the choice of a model leaves the text as it is');
  await page.click('#language-ko');
  assert.equal(await swap(page).getAttribute('aria-label'), '바꾸기: 영어 → 프랑스어');
});

test('what was typed and is not translated yet stays, whenever the direction turns', async (t) => {
  const page = await open(t);
  await page.locator('#target[aria-busy="false"] .sentence').first().waitFor(PATIENCE);
  await page.evaluate(() => {
    const typed = document.getElementById('source');
    typed.value = 'I like dogs.';
    typed.dispatchEvent(new Event('input', { bubbles: true }));
    document.getElementById('translate-swap').click();
  });
  assert.equal(await source(page), 'I like dogs.');
  assert.deepEqual(await labels(page), ['French', 'English']);
});

test('the direction is in the link, and a wrong one is refused', async (t) => {
  const page = await open(t, { hash: '#translate?direction=fr-en' });
  assert.deepEqual(await labels(page), ['French', 'English']);
  assert.match(await source(page), /[éù]/, 'an example in French');
  await page.locator('#target .sentence').first().waitFor(PATIENCE);
  const loaded = page.locator('#models tr').filter({ hasText: 'Unload' }).getByRole('rowheader');
  assert.deepEqual(await loaded.allInnerTexts(), ['French to English'], 'the other model is not fetched');
  await swap(page).click();
  await eventually(() => page.evaluate(() => location.hash.includes('direction=en-fr')), true);
  await page.goto(new URL('#translate?direction=fr-de', page.url()).href);
  await eventually(() => page.locator('#link-notices p:not(.notice-title)').allInnerTexts(), ['direction = “fr-de”: taken as en-fr']);
  await page.goto(new URL('#translate?text=Hello.', page.url()).href);
  assert.deepEqual(await labels(page), ['English', 'French']);
});

test('a model of the user has no other way to turn to', async (t) => {
  const page = await open(t);
  assert.equal(await swap(page).isVisible(), true);
  await dropPaths(page, [path.join(MODELS, 'en-fr')]);
  await eventually(() => page.inputValue('#translate-model select'), 'en-fr');
  assert.equal(await swap(page).isVisible(), false);
});

test('of a model with several languages, both are chosen', async (t) => {
  const page = await open(t);
  await dropPaths(page, [await smallModel(t, 'languages')]);
  const names = () => page.locator('#source-language option').allInnerTexts();
  await eventually(names, ['English', 'French']);
  const chosen = () => Promise.all(['#source-language', '#target-language'].map((id) => page.inputValue(id)));
  assert.deepEqual(await chosen(), ['eng_Latn', 'fra_Latn']);
  await page.fill('#source', PAIR.eng_Latn);
  await eventually(() => page.locator('#alternatives-sentence').innerText(), PAIR.eng_Latn);    // it is of what was typed
  await eventually(() => target(page), PAIR.fra_Latn);
  await page.getByRole('button', { name: 'Swap the languages' }).click();
  assert.deepEqual(await chosen(), ['fra_Latn', 'eng_Latn']);
  assert.equal(await source(page), PAIR.fra_Latn);
  assert.deepEqual(await Promise.all(['#source', '#target'].map((id) => page.getAttribute(id, 'lang'))), ['fr', 'en']);
  await eventually(() => target(page), PAIR.eng_Latn);
  await page.getByRole('combobox', { name: 'Translate from' }).selectOption('English');
  await page.getByRole('combobox', { name: 'Translate to' }).selectOption('French');
  await page.fill('#source', PAIR.eng_Latn);
  await eventually(() => target(page), PAIR.fra_Latn);
  await screenshot(page, 'translate-languages');
  await page.click('#language-ko');
  assert.deepEqual(await names(), ['영어', '프랑스어']);
  assert.deepEqual(await chosen(), ['eng_Latn', 'fra_Latn']);
  await page.selectOption('#translate-model select', '영어 → 프랑스어');
  assert.equal(await page.isVisible('#source-language'), false);
});
