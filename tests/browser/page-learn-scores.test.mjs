// The steps of scores and masks. Expected: what the package gives in node for the same input.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { farthest, figureAt, gridValues, learnAt, shownStep, toNumber } from './learn-driver.mjs';
import { eventually, MODELS, pageForTests } from './page-driver.mjs';

const open = pageForTests();
const TEXT = 'The old man has a garden.';
let expected;
before(async () => {
  const model = await loadModel(path.join(MODELS, 'tales'));
  const { ids } = model.tokenizer.encode(TEXT, { addSpecialTokens: false });
  const { attentions: [first] } = await model.forward({ inputIds: [ids] }, { attentions: true });
  const whole = model.tokenizer.encode(TEXT).ids;
  const { loss, logits } = await model.forward({ inputIds: [whole], labels: [whole] });
  expected = { ids, first, loss, logits, whole };
  model.dispose();
});
after(() => { expected = undefined; });

test('the variance of products is the size of a head, and 1 once they are scaled', async (t) => {
  const page = await open(t, { hash: learnAt('scores') });
  await shownStep(page);
  const figure = figureAt(page, 'The variance of q · k grows with the size of a head');
  await figure.locator('.plot').focus();
  await page.keyboard.press('Home');
  for (let size = 2; size <= 512; size *= 2) {
    const told = await figure.locator('[role=status]').innerText();
    const [, d, variance, scaled] = told.match(/d (\S+): q · k (\S+) · q · k \/ √d (\S+)/);
    assert.equal(toNumber(d), size);
    // 64 + 64 vectors give 64^2 products; the variance of their variance is some 4 (1/64 + ...), so within 30 %
    assert.ok(Math.abs(toNumber(variance) / size - 1) < 0.3, told);
    assert.ok(Math.abs(toNumber(scaled) - toNumber(variance) / size) < 0.001, told);
    await page.keyboard.press('ArrowRight');
  }
});

test('a scale of 1 makes softmax sharper than 1/sqrt(d), by every measure', async (t) => {
  const page = await open(t, { hash: learnAt('scores') });
  await shownStep(page);
  const figure = figureAt(page, 'What softmax makes of it');
  const measures = async () => (await figure.locator('.lesson-result').innerText()).match(/[\d.]+/g).map(Number);
  const [entropy] = await measures();
  const sum = (await figure.locator('.weight-bars li > :last-child').allInnerTexts()).reduce((all, text) => all + parseFloat(text), 0);
  assert.ok(Math.abs(sum - 100) < 2, `${sum} %`);
  await figure.getByLabel('divide by √d').check();
  await eventually(async () => (await measures())[0] > entropy + 0.5, true);
});

test('at the model’s own scale, the sentence has the weights of its first layer', async (t) => {
  const page = await open(t, { hash: learnAt('scores', TEXT) });
  await shownStep(page);
  const figure = figureAt(page, 'The scale on your sentence');
  const size = expected.ids.length ** 2;
  assert.ok(farthest(await gridValues(figure), expected.first.data.slice(0, size)) < 0.006);
  await figure.getByRole('slider', { name: 'Scale' }).fill('4');
  await eventually(async () => farthest(await gridValues(figure), expected.first.data.slice(0, size)) > 0.1, true);
});

test('a causal mask hides what comes later, a padding mask the padding, and each row sums to 1', async (t) => {
  const page = await open(t, { hash: learnAt('masks', TEXT) });
  await shownStep(page);
  const figure = figureAt(page, 'Masks on your sentence');
  const T = expected.ids.length + 2, real = expected.ids.length;
  const sees = {
    none: () => 1, causal: (q, k) => Number(k <= q), padding: (q, k) => Number(k < real), both: (q, k) => Number(k <= q && k < real),
    window: (q, k) => Number(k <= q && q - k < 2),
  };
  for (const [kind, rule] of Object.entries(sees)) {
    await figure.getByLabel('Mask', { exact: true }).selectOption(kind);
    const mask = Array.from({ length: T * T }, (_, i) => rule(Math.floor(i / T), i % T));
    await eventually(async () => farthest(await gridValues(figure, 0), mask), 0);
    const weights = await gridValues(figure, 1);
    assert.ok(weights.every((weight, i) => mask[i] || weight === 0), kind);
    for (let q = 0; q < T; q++) {
      const sum = weights.slice(q * T, (q + 1) * T).reduce((all, weight) => all + weight, 0);
      assert.ok(Math.abs(sum - 1) < 0.006, `${kind}, row ${q}: ${sum}`);
    }
  }
});

test('the losses of teacher forcing are those of forward with labels', async (t) => {
  const page = await open(t, { hash: learnAt('masks', TEXT) });
  await shownStep(page);
  const figure = figureAt(page, 'Teacher forcing: every position is a question');
  const losses = (await figure.locator('tbody td:nth-child(4)').allInnerTexts()).map(toNumber);
  assert.equal(losses.length, expected.whole.length - 1);
  const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
  assert.ok(Math.abs(mean - expected.loss) < 0.01, `${mean}, ${expected.loss} expected`);
  const told = toNumber((await figure.locator('.lesson-result').innerText()).match(/[\d.]+/)[0]);
  assert.ok(Math.abs(told - expected.loss) < 0.01);
});

test('the exercises of scores and masks take their answers, and the path leads from one to the next', async (t) => {
  const page = await open(t, { hash: learnAt('scores') });
  for (const [title, answer] of [['Scores', '8'], ['Masks', '21']]) {
    await eventually(async () => (await page.locator('#learn-title').innerText()).endsWith(title), true);
    await shownStep(page);
    await page.locator('.exercise-input').fill(answer);
    await page.locator('.exercise-input').press('Enter');
    await eventually(async () => /^Right/.test(await page.locator('.exercise-feedback').innerText()), true);
    if (title === 'Scores') await page.locator('.path-turn[rel=next]').click();
  }
  await eventually(() => page.evaluate(() => location.hash.startsWith('#learn?step=masks')), true);
});
