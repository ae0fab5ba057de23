// The Understand tab with the models of the page. What is right is said where it stands: grammar, or what the package gives in node.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { eventually, MODELS, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';

const open = pageForTests();
const LANGUAGES = ['en-US', 'ko-KR'];
const ERRANDS = ['pos', 'slots', 'intents', 'spam', 'mask', 'similar', 'sentiment', 'labels', 'answer', 'summary'];
const result = (page) => page.locator('#understand-result');
const tags = (page) => page.locator('.tag').evaluateAll((all) => all.map((tag) => [...tag.children].map((part) => part.textContent)));
const rows = (page) => page.locator('#understand-result li').evaluateAll((all) => all.map((row) =>
  [row.querySelector('.reading-name').textContent, row.querySelector('.reading-figure').textContent]));
const loaded = (page) => page.locator('#models tr').filter({ hasText: 'Unload' }).getByRole('rowheader').allInnerTexts();

test('its code, and the model of an errand alone, are fetched on their first use', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  await page.locator('.card .piece').first().waitFor(PATIENCE);
  const scripts = () => page.evaluate(() =>
    performance.getEntriesByType('resource').filter(({ name }) => /page-understand/.test(name)).length);
  assert.deepEqual([await scripts(), await loaded(page)], [0, []]);
  await page.click('#tab-understand');
  await page.locator('.tag').first().waitFor(PATIENCE);
  assert.equal(await scripts(), 1);
  assert.deepEqual(await loaded(page), ['Parts of speech']);
  const linked = await open(t, { hash: '#understand?errand=spam' });
  await linked.locator('#understand-result li').first().waitFor(PATIENCE);
  assert.deepEqual(await loaded(linked), ['Spam'], 'a link loads what it is about, and nothing else');
});

test('the words of a typed sentence are tagged, in colour and in words', async (t) => {
  const page = await open(t, { hash: '#understand' });
  await page.fill('#understand-text', '');
  await page.locator('#understand-text').pressSequentially('Mary gave him three books about London.', { delay: 10 });
  await eventually(() => tags(page), [
    ['Mary', 'name'], ['gave', 'verb'], ['him', 'pronoun'], ['three', 'number'], ['books', 'noun'], ['about', 'preposition'],
    ['London', 'name'], ['.', 'mark'],
  ]);
  const tones = await page.locator('.tag-text').evaluateAll((all) => all.map(({ className }) => /tone-\d/.exec(className)[0]));
  assert.equal(tones[0], tones[6], 'a label has one colour');
  assert.equal(new Set(tones.slice(0, 5)).size, 5, 'the first five labels have five');
  assert.match(await page.locator('#announcer').textContent(), /^Mary: name, gave: verb/);

  // neighbours of one label are words of their own, but the parts of a word are not
  await page.fill('#understand-text', 'I can see the big old house.');
  await eventually(() => tags(page), [
    ['I', 'pronoun'], ['can', 'auxiliary'], ['see', 'verb'], ['the', 'determiner'], ['big', 'adjective'], ['old', 'adjective'],
    ['house', 'noun'], ['.', 'mark'],
  ]);
  await page.fill('#understand-text', "I can't open the can.");
  await eventually(() => tags(page), [
    ['I', 'pronoun'], ['can', 'auxiliary'], ["'t", 'particle'], ['open', 'verb'], ['the', 'determiner'], ['can', 'noun'], ['.', 'mark'],
  ]);
});

test('the slots of a command are whole spans', async (t) => {
  const page = await open(t, { hash: '#understand' });
  await page.click('#errand-slots');
  await eventually(() => tags(page), [
    ['newest', 'which of them'], ['album', 'kind of music'], ['Miles Davis', 'artist'], ['Spotify', 'service'],
  ]);
  const found = await rows(page);
  assert.deepEqual(found.map(([name]) => name), ['which of themnewest', 'kind of musicalbum', 'artistMiles Davis', 'serviceSpotify']);
  assert.ok(found.every(([, share]) => /^\d+%$/.test(share)));
  await page.fill('#understand-text', 'hm');
  await eventually(() => result(page).innerText(), 'Nothing was found in this text.');
});

test('the intent of a command, and spam, have bars with percentages', async (t) => {
  const page = await open(t, { hash: '#understand?errand=intents' });
  await page.getByRole('group', { name: 'Examples' }).getByRole('button', { name: 'Will it rain' }).click();
  await eventually(async () => (await rows(page))[0]?.[0], 'hear the weather');
  const shares = (await rows(page)).map(([, share]) => parseFloat(share));
  assert.equal(shares.length, 7);
  assert.deepEqual(shares, shares.toSorted((a, b) => b - a));
  assert.ok(Math.abs(shares.reduce((sum, share) => sum + share) - 100) < 1, `${shares}`);

  await page.click('#errand-spam');
  await eventually(async () => (await rows(page))[0]?.[0], 'spam');
  await page.fill('#understand-text', 'I will be ten minutes late, start dinner without me');
  await eventually(async () => (await rows(page))[0]?.[0], 'an ordinary message');
  await page.click('#errand-intents');
  assert.match(await page.inputValue('#understand-text'), /^Will it rain/, 'each errand keeps its text');
});

test('each gap has its words, and a word that is chosen takes its place', async (t) => {
  const page = await open(t, { hash: `#understand?errand=mask&text=${encodeURIComponent('What [MASK] is it? It is [MASK].')}` });
  const model = await loadModel(path.join(MODELS, 'fill-mask'));
  t.after(() => model.dispose());
  const expected = await model.fillMask('What [MASK] is it? It is [MASK].', { topK: 6 });
  const words = () => page.locator('.masks section').evaluateAll((all) =>
    all.map((one) => [...one.querySelectorAll('.reading-word')].map(({ textContent }) => textContent)));
  await eventually(async () => (await words()).map(([first]) => first), expected.map(([{ token }]) => token));
  assert.deepEqual((await words()).map((list) => list.length), [6, 6]);
  assert.equal(expected[0][0].token, 'time', 'a common question');
  await page.getByRole('list', { name: 'Gap 1' }).getByRole('button', { name: /^time \d/ }).click();
  assert.equal(await page.inputValue('#understand-text'), 'What time is it? It is [MASK].');
  await eventually(async () => (await words()).length, 1);
  const linked = () => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('text'));
  await eventually(linked, 'What time is it? It is [MASK].');

  await page.locator('.masks button').first().focus();    // by keyboard
  await page.keyboard.press('Enter');
  await eventually(() => result(page).innerText(), 'Put [MASK] where a word is missing.');
  await page.fill('#understand-text', 'I like .');
  await page.locator('#understand-text').evaluate((area) => area.setSelectionRange(7, 7));
  await page.click('#understand-gap');
  assert.equal(await page.inputValue('#understand-text'), 'I like [MASK].');
  await eventually(async () => (await words()).length, 1);
});

test('lines are ranked as the package ranks them', async (t) => {
  const page = await open(t, { hash: '#understand?errand=similar' });
  const model = await loadModel(path.join(MODELS, 'tales'));
  t.after(() => model.dispose());
  const lines = ['Dinner is ready.', 'The weather is terrible today.', 'She lost her keys.'];
  await page.fill('#understand-second', `${lines.join('\n\n')}\n`);
  await page.fill('#understand-text', 'The weather is bad.');
  const ranked = await model.similarity('The weather is bad.', lines);
  await eventually(async () => (await rows(page)).map(([line]) => line), ranked.map(({ index }) => lines[index]));
  assert.equal(ranked[0].index, 1, 'the one about the weather');
  for (const [i, [, figure]] of (await rows(page)).entries()) assert.ok(Math.abs(Number(figure) - ranked[i].score) < 0.02, figure);
  await page.selectOption('#understand-model select', 'Gap filler');
  await eventually(async () => (await rows(page)).length, 3);
});

test('a link leads to an errand with its texts, and says what it cannot use', async (t) => {
  const page = await open(t, { hash: '#understand?errand=similar&text=A%20cat.&lines=One%20dog.%0AA%20cat.' });
  await eventually(async () => (await rows(page))[0], ['A cat.', '1.00']);
  assert.equal(await page.inputValue('#understand-second'), 'One dog.\nA cat.');
  await page.fill('#understand-text', 'One dog.');
  await eventually(() => page.evaluate(() => location.hash.includes('text=One+dog')), true);
  const other = await open(t, { hash: await page.evaluate(() => location.hash) });
  await eventually(async () => (await rows(other))[0], ['One dog.', '1.00']);
  await other.goto(new URL('#understand?errand=oracle', other.url()).href);
  await eventually(() => other.locator('#link-notices p:not(.notice-title)').allInnerTexts(), ['errand = “oracle”: taken as similar']);
});

test('a text that is typed before the code has come is kept', async (t) => {
  const page = await open(t, { hash: '#tokenize' });
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  await page.route('**/page-understand*', async (route) => {
    await held;
    await route.continue();
  });
  await page.click('#tab-understand');
  await page.fill('#understand-text', 'Birds sing.');
  release();
  await eventually(() => tags(page), [['Birds', 'noun'], ['sing', 'verb'], ['.', 'mark']]);
});

test('nothing moves when results come, and errors leave with the next one', async (t) => {
  const page = await open(t, { hash: '#understand', expects: /Failed to load resource/ });
  await page.locator('.tag').first().waitFor(PATIENCE);
  await page.waitForTimeout(300);
  const moved = await page.evaluate(() => shifts.reduce((sum, value) => sum + value, 0));
  assert.ok(moved < 0.01, `a layout shift of ${moved}; 0.1 is still called good`);
  await page.route('**/models/spam/**', (route) => route.abort());
  await page.click('#errand-spam');
  await page.locator('#understand-notices .notice').waitFor(PATIENCE);
  assert.equal(await result(page).innerText(), '');
  await page.click('#errand-pos');
  await eventually(() => page.locator('.notice').count(), 0);
  await page.locator('.tag').first().waitFor(PATIENCE);
});

for (const locale of LANGUAGES) {
  test(`at 320 pixels nothing of any errand is cut off: ${locale}`, async (t) => {
    const page = await open(t, { hash: '#understand', viewport: { width: 320, height: 844 }, locale });
    for (const name of ERRANDS) {
      await page.click(`#errand-${name}`);
      await page.locator('#understand-result > *').first().waitFor(PATIENCE);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, name);
    }
  });
}

for (const { name, ...options } of [
  { name: 'en-light', hash: 'en', colorScheme: 'light' }, { name: 'en-dark', hash: 'en', colorScheme: 'dark' },
  { name: 'ko-light', hash: 'ko', colorScheme: 'light' }, { name: 'ko-dark', hash: 'ko', colorScheme: 'dark' },
  { name: 'en-dark-390', hash: 'en', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  { name: 'ko-light-390', hash: 'ko', colorScheme: 'light', viewport: { width: 390, height: 844 } },
]) {
  test(`the errands are looked at: ${name}`, async (t) => {
    const page = await open(t, { ...options, hash: `#understand?lang=${options.hash}` });
    for (const errand of ERRANDS) {
      await page.click(`#errand-${errand}`);
      await page.locator('#understand-result > *').first().waitFor(PATIENCE);
      await screenshot(page, `understand-${errand}-${name}`);
    }
  });
}
