// The step of words. Expected: what the package gives in node for the same words, text and seed.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { cosineSimilarity, loadModel, trainWordVectors } from '../../dist/index.js';
import { farthest, figureAt, gridValues, learnAt, shownStep, toNumber } from './learn-driver.mjs';
import { eventually, MODELS, pageForTests } from './page-driver.mjs';

const open = pageForTests();
const TEXT = 'The king loves the queen.';
const barsOf = async (figure) => {
  const names = await figure.locator('.weight-bars bdi').allInnerTexts();
  const numbers = await figure.locator('.weight-bars li > :last-child').allInnerTexts();
  return names.map((name, i) => [name, toNumber(numbers[i])]);
};

test('one-hot vectors are alike to themselves alone, dense ones by their cosine', async (t) => {
  const model = await loadModel(path.join(MODELS, 'tales'));
  const { ids } = model.tokenizer.encode(TEXT, { addSpecialTokens: false });
  const { hiddenStates: [{ data, shape: [, T, width] }] } = await model.forward({ inputIds: [ids] }, { hiddenStates: true });
  // without positions in them, these are rows of the table
  const every = await model.forward({ inputIds: [Array.from({ length: 500 }, (_, i) => i)] }, { hiddenStates: true, logits: 'none' });
  model.dispose();
  const row = (i) => data.subarray(i * width, (i + 1) * width);
  const page = await open(t, { hash: learnAt('words', TEXT) });
  await shownStep(page);
  const figure = figureAt(page, 'How similar the tokens of your sentence are');
  assert.deepEqual(await gridValues(figure), Array.from({ length: T * T }, (_, i) => Number(Math.floor(i / T) === i % T)));
  await figure.getByLabel('Vectors').selectOption('dense');
  const cosines = Array.from({ length: T * T }, (_, i) => cosineSimilarity(row(Math.floor(i / T)), row(i % T)));
  await eventually(async () => farthest(await gridValues(figure), cosines) < 0.006, true);

  await figure.locator('.value-cell').nth(T).click();    // king
  await eventually(async () => /king/.test(await figure.locator('h4').innerText()), true);
  const neighbours = await barsOf(figure);
  assert.equal(neighbours[0][0], '·queen');
  assert.deepEqual(neighbours.map(([, cosine]) => cosine), neighbours.map(([, cosine]) => cosine).toSorted((a, b) => b - a));
  const table = every.hiddenStates[0].data;
  for (let i = 0; i < 500; i++) {    // none of the first 500 tokens is nearer than the nearest shown
    if (i === ids[1]) continue;
    assert.ok(cosineSimilarity(row(1), table.subarray(i * width, (i + 1) * width)) <= neighbours[0][1] + 0.001, `token ${i}`);
  }
});

test('word vectors are trained on the text: king − man + woman is queen, and all numbers are those of node', async (t) => {
  const page = await open(t, { hash: learnAt('words') });
  await shownStep(page);
  const figure = figureAt(page, 'Word2Vec: train word vectors while you watch');
  const text = await figure.locator('textarea').inputValue();
  const training = trainWordVectors(text.split(/[\n.]+/).filter((line) => line.trim()),
    { dimensions: 16, window: 5, epochs: 200, learningRate: 0.05, seed: 1 });
  const { loss } = await training.result();
  const vectors = await training.vectors();
  const expected = vectors.nearest({ positive: ['king', 'woman'], negative: ['man'] }, 5);
  assert.equal(expected[0].word, 'queen');

  await figure.getByRole('button', { name: 'Train' }).click();
  await eventually(async () => (await barsOf(figure)).length, 5);
  const shown = await barsOf(figure);
  assert.equal(shown[0][0], 'queen');
  // two builds of WebAssembly round differently, and 200 epochs let that grow
  assert.ok(Math.abs(shown[0][1] - expected[0].score) < 0.05, `${shown[0]}, ${expected[0].score} expected`);
  const told = await figure.locator('.plot-part [role=status]').innerText();
  assert.match(told, /^Epoch 200: Loss/);
  assert.ok(Math.abs(toNumber(told.match(/[\d.]+$/)[0]) - loss) < 0.1, `${told}, ${loss} expected`);

  await figure.getByLabel('First word').fill('prince');
  await eventually(async () => (await barsOf(figure))[0][0], 'princess');
  await figure.getByLabel('First word').fill('dragon');
  await eventually(() => figure.locator('.field-error').innerText(), '“dragon” is not in the text.');
  assert.equal(await figure.locator('.word-map text').count(), Math.min(vectors.words.length, 60));
  await figure.locator('.word-map').focus();
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await figure.locator('.word-map').getAttribute('viewBox'), '-1.2 -1.2 2.4 2.4');
  await figure.locator('.word-map text', { hasText: /^castle$/ }).dispatchEvent('click');
  await eventually(() => figure.getByLabel('First word').inputValue(), 'castle');
});

test('a training is stopped, and a text without words is told', async (t) => {
  const page = await open(t, { hash: learnAt('words') });
  await shownStep(page);
  const figure = figureAt(page, 'Word2Vec: train word vectors while you watch');
  await figure.locator('textarea').fill('…');
  await figure.getByRole('button', { name: 'Train' }).click();
  await figure.locator('.notice').waitFor();
  const long = 'the fox runs over the hill and the owl sleeps in the tree '.repeat(300);
  await figure.locator('textarea').fill(long);
  await figure.evaluate((element) => {    // in one task: it may be done before a second click comes from outside
    const press = (name) => [...element.querySelectorAll('button')].find(({ textContent }) => textContent === name).click();
    press('Train');
    press('Stop');
  });
  await eventually(() => figure.getByRole('button', { name: 'Train' }).isEnabled(), true);
  assert.equal(await figure.locator('.word-map').isVisible(), false);
  assert.equal(await figure.locator('.notice').count(), 0);
});
