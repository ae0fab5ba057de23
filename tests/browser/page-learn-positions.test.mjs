// The step of positions. Expected: what the package gives in node for the same input.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadModel, positionalEncoding } from '../../dist/index.js';
import { farthest, figureAt, gridValues, learnAt, shownStep, toNumber } from './learn-driver.mjs';
import { eventually, MODELS, pageForTests } from './page-driver.mjs';

const open = pageForTests();
const ROUNDED = 0.00051;

test('nothing of the tab is fetched before it is shown', async (t) => {
  const page = await open(t);
  const scripts = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name)
    .filter((name) => /page-(learn|tokens)-/.test(name)).length);
  assert.equal(await scripts(), 0);
  await page.click('#tab-learn');
  await shownStep(page);
  assert.ok(await scripts() >= 2);
});

test('the tables are those of positionalEncoding', async (t) => {
  const page = await open(t, { hash: learnAt('positions') });
  await shownStep(page);
  const figure = figureAt(page, 'The tables, as pictures');
  const kinds = {
    sinusoidal: await positionalEncoding('sinusoidal', { length: 16, width: 32 }), t5: await positionalEncoding('t5', { length: 16 }),
  };
  for (const [kind, { data }] of Object.entries(kinds)) {
    await figure.getByLabel('Kind').selectOption(kind);
    await eventually(async () => farthest(await gridValues(figure), data) < ROUNDED, true);
  }
  const { data: alibi } = await positionalEncoding('alibi', { length: 16, heads: 4 });
  await figure.getByLabel('Kind').selectOption('alibi');
  await figure.getByLabel('Head').fill('3');
  await eventually(async () => farthest(await gridValues(figure), alibi.slice(2 * 256, 3 * 256)) < ROUNDED, true);
  const { data: rope } = await positionalEncoding('rope', { length: 16, width: 32 });
  await figure.getByLabel('Kind').selectOption('rope');
  await eventually(async () => {
    const shown = await gridValues(figure);
    const cosines = shown.filter((_, i) => i % 2 === 0), sines = shown.filter((_, i) => i % 2 === 1);
    return farthest([...cosines, ...sines], rope) < ROUNDED;
  }, true);
});

test('with RoPE, the weights of the sentence are those of the model’s first layer', async (t) => {
  const text = 'The old man has a beautiful garden.';
  const model = await loadModel(path.join(MODELS, 'tales'));
  const { ids } = model.tokenizer.encode(text, { addSpecialTokens: false });
  const { attentions: [first] } = await model.forward({ inputIds: [ids] }, { attentions: true });
  model.dispose();
  const page = await open(t, { hash: learnAt('positions', text) });
  await shownStep(page);
  const figure = figureAt(page, 'What they do to your sentence');
  await figure.getByLabel('Kind').selectOption('rope');
  const size = ids.length ** 2;
  for (const head of [1, 4]) {
    await figure.getByLabel('Head').fill(String(head));
    const expected = first.data.slice((head - 1) * size, head * size);
    await eventually(async () => farthest(await gridValues(figure), expected) < 0.0051, true);    // of two digits
  }
});

test('a shift turns the pair to where the table has it', async (t) => {
  const page = await open(t, { hash: learnAt('positions') });
  await shownStep(page);
  const figure = figureAt(page, 'A shift is a rotation');
  await figure.getByLabel('Shift k').fill('31');
  await figure.getByLabel('Columns').fill('2');
  const numbers = async () => (await figure.locator('td.number').allInnerTexts()).map(toNumber);
  await eventually(async () => (await figure.locator('th[scope=row]').nth(1).innerText()), 'PE(34)');
  const { data } = await positionalEncoding('sinusoidal', { length: 64, width: 16 });
  await eventually(async () => Math.abs((await numbers())[2] - data[34 * 16 + 4]) < 1e-6, true);
  const [, , sin, cos, turnedSin, turnedCos] = await numbers();
  assert.ok(Math.abs(sin - turnedSin) < 2e-6 && Math.abs(cos - turnedCos) < 2e-6, `${sin} ${turnedSin} ${cos} ${turnedCos}`);
});

test('the exercise knows the right answer from a wrong one, and takes either minus', async (t) => {
  const page = await open(t, { hash: learnAt('positions') });
  await shownStep(page);
  const answer = page.locator('.exercise-input');
  for (const [given, expected] of [['0.1875', /^Not yet/], ['word', /^Write a number/], ['−0,1875', /^Right/], ['-.1875', /^Right/]]) {
    await answer.fill(given);
    await answer.press('Enter');
    await eventually(async () => expected.test(await page.locator('.exercise-feedback').innerText()), true);
  }
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await eventually(async () => /^It is −0.1875/.test(await page.locator('.exercise-feedback').innerText()), true);
});
