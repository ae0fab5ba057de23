// The step of training. Expected: the same recipes, trained in node by the built package from the same seeds.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { figureAt, learnAt, modulesOfPage, shownStep, toNumber } from './learn-driver.mjs';
import { eventually, pageForTests, PATIENCE } from './page-driver.mjs';

const open = pageForTests();
let RECIPES, TEXTS, trainInLab;
before(async () => { [{ RECIPES }, { TEXTS }, { trainInLab }] = await modulesOfPage('lab-tasks', 'lab-texts', 'lab-run'); });

/** What node makes of the same lines: the losses, and the samples. */
async function trainedInNode(task, steps, learningRate) {
  const recipe = RECIPES[task], { lines, question } = TEXTS[task], { signal } = new AbortController();
  const data = recipe.read(lines), losses = [], samples = [];
  const model = await recipe.create(data, signal);
  const options = { steps, learningRate, question: () => question, signal };
  await trainInLab(model, recipe, data, options, ({ loss }) => losses.push(loss), (sample) => samples.push(sample));
  model.dispose();
  return { losses, samples };
}

async function trainOnPage(page, figure) {
  await figure.getByRole('button', { name: 'Train' }).click();
  await figure.getByRole('button', { name: 'Download its files' }).waitFor(PATIENCE);
}

for (const task of ['classifier', 'translator', 'writer']) {
  test(`the page trains a ${task} as node does: the same losses, the same answers`, async (t) => {
    const page = await open(t, { hash: learnAt('train') });
    await shownStep(page);
    const figure = figureAt(page, 'Train one while you watch');
    await figure.getByLabel('What it learns').selectOption(task);
    const { losses, samples } = await trainedInNode(task, 120, 2 ** -8);
    assert.ok(losses.at(-1) < losses[0] / 4, `${losses[0]} to ${losses.at(-1)}`);
    await trainOnPage(page, figure);
    assert.equal(await figure.locator('tbody tr').count(), samples.length);
    assert.equal(await figure.locator('.lab-answer').innerText(), samples.at(-1).said);
    await figure.locator('.plot').focus();
    await page.keyboard.press('Home');
    const first = (await figure.locator('.plot-part [role=status]').innerText()).match(/^Step 1: Loss (.*)$/);
    assert.ok(Math.abs(toNumber(first[1]) - losses[0]) < 0.0006, `${first[1]}, ${losses[0]} expected`);
    await page.keyboard.press('End');
    const last = (await figure.locator('.plot-part [role=status]').innerText()).match(/^Step 120: Loss (.*)$/);
    // two builds of WebAssembly round differently, and each step adds to that
    assert.ok(Math.abs(toNumber(last[1]) - losses.at(-1)) < 0.02, `${last[1]}, ${losses.at(-1)} expected`);
  });
}

test('a trained translator is saved, and translates the same in node; it joins the models of the page', async (t) => {
  const page = await open(t, { hash: learnAt('train') });
  await shownStep(page);
  const figure = figureAt(page, 'Train one while you watch');
  await figure.getByLabel('What it learns').selectOption('translator');
  await trainOnPage(page, figure);
  await figure.getByLabel('Ask it').fill('the dog is blue');
  await figure.getByLabel('Ask it').press('Enter');
  await eventually(async () => /chien/.test(await figure.locator('.lab-answer').innerText()), true);
  const said = await figure.locator('.lab-answer').innerText();

  const files = new Map();
  page.on('download', async (download) => files.set(download.suggestedFilename(), new Uint8Array(await readFile(await download.path()))));
  await figure.getByRole('button', { name: 'Download its files' }).click();
  await eventually(() => [...files.keys()].toSorted(), ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json']);
  const model = await loadModel(files);
  assert.equal(await model.translate('the dog is blue', { maxNewTokens: 12, numBeams: 1 }).text(), said);
  model.dispose();

  await figure.getByRole('button', { name: 'Put it among the models of this page' }).click();
  await eventually(async () => (await page.locator('#models').innerText()).includes('my-translator'), true);
});

test('a training is stopped, and goes on with other lines; lines that do not fit are told', async (t) => {
  const page = await open(t, { hash: learnAt('train') });
  await shownStep(page);
  const figure = figureAt(page, 'Train one while you watch');
  const lines = figure.getByLabel('Your lines');
  await lines.fill('only: one label');
  await figure.getByRole('button', { name: 'Train' }).click();
  assert.match(await figure.locator('.notice').innerText(), /do not fit the task\s+A line is a label/);
  await lines.fill('fruit: apple\nfruit: pear\ntool: hammer\ntool: saw');
  await figure.getByLabel('Steps').fill('400');
  await figure.getByRole('button', { name: 'Train' }).click();
  await eventually(async () => (await figure.locator('tbody tr').count()) >= 2, true);
  await figure.getByRole('button', { name: 'Stop' }).click();
  await eventually(() => figure.getByRole('button', { name: 'Train' }).isEnabled(), true);
  assert.equal(await figure.locator('.notice').count(), 0);
  await figure.getByLabel('What it learns').selectOption('writer');
  assert.equal(await figure.locator('tbody tr').count(), 0);
  await figure.getByLabel('What it learns').selectOption('classifier');
  assert.match(await lines.inputValue(), /hammer/, 'what was typed is kept');
});
