// How a sentence was translated: word alignment and the tree of beams. Expected: of the same model in node, by the package's own API.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { MODELS, eventually, pageForTests, PATIENCE, screenshot } from './page-driver.mjs';

const open = pageForTests();
const TEXT = 'I have never seen such a beautiful garden.';
const link = (text, more = '') => `#translate?text=${encodeURIComponent(text)}${more}`;

let expected;
before(async () => {
  const model = await loadModel(path.join(MODELS, 'en-fr'));
  const options = { numBeams: 4, numReturnSequences: 4, returnScores: true, returnBeams: true, attentions: true };
  const result = await model.translate(TEXT, options).result();
  const target = result.sequences[0].slice(1).map((id) => model.tokenizer.tokenOf(id));
  const tokens = { source: model.tokenizer.encode(TEXT).tokens, target };
  expected = { ...result, tokens };
  model.dispose();
});
after(() => { expected = undefined; });

/** Of a word that is one token in both, by the mean of the last layer's heads. */
function weightBetween(target, source) {
  const { data, shape: [heads, rows, columns] } = expected.crossAttentions[0].at(-1);
  const [row, column] = [expected.tokens.target.indexOf(`▁${target}`), expected.tokens.source.indexOf(`▁${source}`)];
  assert.ok(row >= 0 && column >= 0, `${target}, ${source}`);
  let sum = 0;
  for (let head = 0; head < heads; head++) sum += data[(head * rows + row) * columns + column];
  return sum / heads;
}

const shown = (page) => page.locator('#alignment-target button').first().waitFor(PATIENCE);
const about = (page) => page.locator('#alignment-about').innerText();

test('a word that is pointed at shows the words of the source by weight', async (t) => {
  const page = await open(t, { hash: link(TEXT) });
  await shown(page);
  assert.equal((await page.locator('#alignment-target').innerText()).replace(/\s/g, ''), expected.texts[0].replace(/\s/g, ''));
  assert.equal((await page.locator('#alignment-source').innerText()).replace(/\s/g, ''), `${TEXT}end of sentence`.replace(/\s/g, ''));
  for (const [target, source] of [['jardin', 'garden'], ['beau', 'beautiful'], ['vu', 'seen'], ['jamais', 'never']]) {
    await page.getByRole('button', { name: target, exact: true }).hover();
    const percent = Number((await about(page)).match(/“([^”]+)” ([\d.]+)%/g)[0].match(/([\d.]+)%/)[1]);
    assert.match(await about(page), new RegExp(`^For “${target}”, it looked at: “${source}” `));
    assert.ok(Math.abs(percent / 100 - weightBetween(target, source)) < 0.011, `${target}: ${percent} %`);
    const most = page.locator('#alignment-source .most');
    assert.equal(await most.innerText(), source);
    const weights = await page.locator('#alignment-source .aligned').evaluateAll((all) =>
      all.map((word) => parseFloat(word.style.getPropertyValue('--weight'))));
    assert.ok(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 100) <= weights.length / 2, `${weights}`);
  }
});

test('words are walked by arrow keys, and the word is in the link', async (t) => {
  const page = await open(t, { hash: link(TEXT) });
  await shown(page);
  await page.locator('#alignment-target button[tabindex="0"]').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  assert.match(await about(page), /^For “jardin”/);
  assert.equal(await page.locator('#alignment-target button[aria-pressed=true]').innerText(), 'jardin');
  assert.equal(await page.locator('#alignment-target button[tabindex="0"]').count(), 1);
  await eventually(() => page.evaluate(() => /word=\d+/.test(location.hash)), true);
  const other = await open(t, { hash: await page.evaluate(() => location.hash) });
  await shown(other);
  assert.match(await about(other), /^For “jardin”/);
});

test('the tree has every continuation that the beams kept, with its score', async (t) => {
  const page = await open(t, { hash: link(TEXT) });
  await page.locator('.beam-node').first().waitFor(PATIENCE);
  const scores = (await page.locator('.beam-score').allInnerTexts()).map((text) => Number(text.replace('−', '-'))).sort((a, b) => a - b);
  const wanted = expected.beams.map(({ score }) => score).sort((a, b) => a - b);
  assert.equal(scores.length, wanted.length);
  scores.forEach((score, i) => assert.ok(Math.abs(score - wanted[i]) < 0.02, `${score}, ${wanted[i]} expected`));
  assert.equal(await page.locator('.beam-tree path').count(), expected.beams.filter(({ parent }) => parent >= 0).length);
  assert.equal(await page.locator('.beam-node.chosen').count(), expected.sequences[0].length - 1, 'a path from the start to the end');
  assert.equal(await page.locator('.beam-node.complete, .beam-node.chosen[aria-selected=true]').count(), 4, 'one for each translation');
  const withoutChild = expected.beams.filter((_, i) => !expected.beams.some(({ parent }) => parent === i));
  assert.equal(await page.locator('.beam-node.givenUp').count(), withoutChild.length - 4);
});

test('another translation that is chosen has its own path and words', async (t) => {
  const page = await open(t, { hash: link(TEXT) });
  await shown(page);
  await page.locator('#alternatives button').nth(1).click();
  const words = async () => (await page.locator('#alignment-target').innerText()).replace(/\s/g, '');
  await eventually(words, expected.texts[1].replace(/\s/g, ''));
  assert.ok((await page.locator('#beam-about').innerText()).includes(expected.texts[1]));
});

test('the tree is walked by arrow keys, and says what became of a token', async (t) => {
  const page = await open(t, { hash: link(TEXT) });
  await page.locator('.beam-node[tabindex="0"]').waitFor(PATIENCE);
  const told = () => page.locator('#beam-about').innerText();
  assert.match(await told(), /It is the translation above\.$/);
  await page.locator('.beam-node[tabindex="0"]').focus();
  await page.keyboard.press('Home');
  assert.match(await told(), /^Step 1, beam 1: .* It goes on\.$/);
  await page.keyboard.press('Control+End');
  assert.match(await told(), /^Step 10, beam 4: .* It is complete\.$/);
  assert.equal(await page.locator('.beam-node[aria-selected=true]').count(), 1);
  assert.equal(await page.evaluate(() => document.activeElement.ariaSelected), 'true');
  await page.locator('.beam-node.givenUp').first().click();
  assert.match(await told(), /It was given up/);
});

test('nothing is left of a text that is gone, and an unloaded model can still be looked into', async (t) => {
  const page = await open(t, { hash: link('Good morning. How are you?') });
  await eventually(() => page.locator('#target .sentence').count(), 2);
  await shown(page);
  await eventually(() => page.getAttribute('#target', 'aria-busy'), 'false');
  await page.getByRole('button', { name: 'Unload: English to French' }).click();
  const words = await page.locator('#alignment-target').innerText();
  await page.locator('#target .sentence').first().click();
  await eventually(async () => (await page.locator('#alignment-target').innerText()) !== words, true);
  await page.click('#translate-clear');
  for (const place of ['#alignment-target', '#alignment-source', '#alignment-about', '#beam-tree', '#beam-about']) {
    await eventually(() => page.locator(place).innerText(), '');
  }
});

const SENTENCES = Array.from({ length: 24 }, (_, i) => `I have ${i + 2} old brothers and a beautiful garden near the river.`);

test('a long text is translated sentence by sentence with its progress, is cancelled, and goes on', async (t) => {
  const page = await open(t, { hash: link(SENTENCES.join(' ')) });
  await eventually(async () => /^[2-9] of 24 sentences/.test(await page.locator('#translate-sentences').innerText()), true);
  assert.equal(await page.locator('#translate-progress').isVisible(), true);
  await page.click('#translate-cancel');
  const done = await page.locator('#target .sentence').count();
  assert.ok(done >= 2 && done < 24, `${done} sentences`);
  assert.equal(await page.locator('#translate-progress').isVisible(), false);
  await page.waitForTimeout(400);
  assert.equal(await page.locator('#target .sentence').count(), done);
  assert.equal(await page.locator('#translate-sentences').innerText(), `${done} of 24 sentences`);
  assert.equal(await page.getAttribute('#target', 'aria-busy'), 'false');
  assert.equal(await page.locator('#translate-cancel').innerText(), 'Go on');
  await page.focus('#translate-cancel');
  await page.keyboard.press('Enter');
  await eventually(() => page.locator('#target .sentence:not(.stale)').count(), 24);
  await eventually(() => page.isVisible('#translate-cancel'), false);
  assert.equal(await page.locator('#translate-sentences').innerText(), '');
});

test('the sentence that is looked into is in the link', async (t) => {
  const page = await open(t, { hash: link('Good morning. I like red apples. How are you?', '&sentence=2&word=3') });
  await eventually(() => page.locator('#alternatives-sentence').innerText(), 'I like red apples.');
  await eventually(async () => /“apples” /.test(await about(page)), true);
  await page.locator('#target .sentence').first().click();
  await eventually(() => page.evaluate(() => /sentence=1/.test(location.hash)), true);
});

const LOOKS = [
  { name: 'en-light', hash: 'lang=en', colorScheme: 'light' },
  { name: 'en-dark', hash: 'lang=en', colorScheme: 'dark' },
  { name: 'ko-dark-390', hash: 'lang=ko', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
];
for (const { name, hash, ...options } of LOOKS) {
  test(`a sentence is looked into: ${name}`, async (t) => {
    const page = await open(t, { hash: link(TEXT, `&word=7&${hash}`), ...options });
    await page.locator('.beam-node').first().waitFor(PATIENCE);
    await screenshot(page, `inside-${name}`);
  });
}
