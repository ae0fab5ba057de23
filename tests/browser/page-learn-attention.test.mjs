// The steps of tokens and attention. Expected: the tokenizers and the model of the package in node.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadModel, trainTokenizer } from '../../dist/index.js';
import { farthest, figureAt, gridValues, learnAt, shownStep } from './learn-driver.mjs';
import { eventually, MODELS, pageForTests } from './page-driver.mjs';

const open = pageForTests();
const TEXT = 'I love the oldest gardens';

test('six tokenizers learn from the text, and cut the sentence as they do in node', async (t) => {
  const page = await open(t, { hash: learnAt('tokens', TEXT) });
  await shownStep(page);
  const figure = figureAt(page, 'Six tokenizers on your sentence');
  const lines = ['the old garden and the older one', 'I love the oldest house'];
  await figure.locator('textarea').fill(lines.join('\n'));
  await figure.getByLabel('Vocabulary at most').fill('60');
  const unknown = { specialTokens: ['[UNK]'], unknownToken: '[UNK]' };
  const expected = {};
  for (const kind of ['word', 'char', 'bpe', 'byte-bpe', 'wordpiece', 'unigram']) {
    const options = kind === 'byte-bpe' ? { vocabSize: 60 + 256 } : { vocabSize: 60, ...unknown };
    expected[kind] = (await trainTokenizer(kind, lines, options)).encode(TEXT).tokens;
  }
  await eventually(() => figure.locator('tbody tr').evaluateAll((rows) => Object.fromEntries(rows.map((row) =>
    [row.querySelector('th').textContent, [...row.querySelectorAll('bdi')].map((piece) => piece.textContent)]))), expected);
  assert.ok(expected.word.includes('[UNK]') && !expected['byte-bpe'].includes('[UNK]'));
  assert.equal(await figure.locator('.token-unknown').count(), Object.values(expected).flat().filter((token) => token === '[UNK]').length);
});

test('the first merge of the textbook is known, and the other tabs get the sentence', async (t) => {
  const page = await open(t, { hash: learnAt('tokens', TEXT) });
  await shownStep(page);
  await page.getByRole('radio', { name: 'e + r' }).check();
  await page.getByRole('button', { name: 'Check' }).click();
  await eventually(async () => /^Right/.test(await page.locator('.exercise-feedback').innerText()), true);
  await page.locator('.other-tab').click();
  await eventually(() => page.locator('#text').inputValue(), TEXT);
});

test('the stages of attention are those of the model’s first layer', async (t) => {
  const model = await loadModel(path.join(MODELS, 'tales'));
  const { ids } = model.tokenizer.encode(TEXT, { addSpecialTokens: false });
  const trace = ['query', 'key', 'context'].map((name) => `decoder.0.self_attention.${name}`);
  const output = await model.forward({ inputIds: [ids] }, { attentions: true, trace });
  model.dispose();
  const T = ids.length, size = 48, head = 2;
  const part = (name) => Array.from({ length: T }, (_, i) =>
    output.trace[`decoder.0.self_attention.${name}`].data.subarray(i * 192 + head * size, i * 192 + (head + 1) * size));
  const query = part('query'), key = part('key');
  const products = query.flatMap((q) => key.map((k) => q.reduce((sum, value, i) => sum + value * k[i], 0)));
  const expected = {
    products, scaled: products.map((value) => value / Math.sqrt(size)),
    weights: [...output.attentions[0].data.subarray(head * T * T, (head + 1) * T * T)], mixed: part('context').flatMap((row) => [...row]),
  };

  const page = await open(t, { hash: learnAt('attention', TEXT) });
  await shownStep(page);
  const figure = figureAt(page, 'From vectors to attention, on your sentence');
  await figure.getByLabel('Head').fill(String(head + 1));
  for (const [stage, values] of Object.entries(expected)) {
    await figure.getByLabel('Stage').selectOption(stage);
    await eventually(async () => farthest(await gridValues(figure), values) < 0.015, true);
  }
  await figure.getByLabel('Stage').selectOption('same');
  await eventually(() => figure.getByLabel('Head').isVisible(), false);
  await eventually(async () => {
    const same = await gridValues(figure);
    return same.every((value, i) => Math.abs(value - same[(i % T) * T + Math.floor(i / T)]) < 0.011);
  }, true);
  await page.locator('.exercise-input').fill('16384');    // 4 * 64 * 64
  await page.locator('.exercise-input').press('Enter');
  await eventually(async () => /^Right/.test(await page.locator('.exercise-feedback').innerText()), true);
});
