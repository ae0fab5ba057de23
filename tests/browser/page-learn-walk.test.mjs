// The walk-through. Expected: what the same model gives in node for the same sentence, by the package's own calls.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { cosineSimilarity, loadModel } from '../../dist/index.js';
import { farthest, figureAt, gridValues, learnAt, shownStep, toNumber } from './learn-driver.mjs';
import { eventually, MODELS, pageForTests } from './page-driver.mjs';

const open = pageForTests();
const TEXT = 'I love AI';
const WIDTH = 192;
let expected;
before(async () => {
  const model = await loadModel(path.join(MODELS, 'en-fr'));
  const { ids, tokens } = model.tokenizer.encode(TEXT);
  const { sequences: [sequence], texts: [translation] } = await model.translate(TEXT, { numBeams: 1 }).result();
  const trace = ['encoder.1.self_attention.query', 'encoder.1.ffn.activation', 'decoder.0.self_attention.context'];
  const inputs = { inputIds: [ids], decoderInputIds: [sequence.slice(0, -1)] };
  const output = await model.forward(inputs, { attentions: true, hiddenStates: true, trace });
  expected = { ids, tokens, sequence, translation, output };
  model.dispose();
});
after(() => { expected = undefined; });

const row = ({ data, shape }, i) => data.subarray(i * shape.at(-1), (i + 1) * shape.at(-1));

test('tokens, ids and the translation are the model’s', async (t) => {
  const page = await open(t, { hash: learnAt('walk', TEXT) });
  await shownStep(page);
  assert.deepEqual(await page.locator('.walk-token').allInnerTexts(), expected.tokens);
  assert.deepEqual((await page.locator('.walk-id').allInnerTexts()).map(Number), expected.ids);
  assert.equal(await page.locator('.walk-translation').innerText(), expected.translation);
});

test('every vector of the encoder and of the decoder is shown number by number', async (t) => {
  const page = await open(t, { hash: learnAt('walk', TEXT) });
  await shownStep(page);
  const { encoderHiddenStates, decoderHiddenStates } = expected.output;
  for (const [title, states] of [['2. Through the encoder', encoderHiddenStates], ['4. Inside the decoder', decoderHiddenStates]]) {
    const figure = figureAt(page, title);
    const T = states[0].shape[1];
    const cosines = states.flatMap((state, layer) => Array.from({ length: T }, (_, i) =>
      (layer === 0 ? 1 : cosineSimilarity(row(state, i), row(states[layer - 1], i)))));
    assert.ok(farthest(await gridValues(figure, 0), cosines) < 0.006, title);
    for (const [layer, token] of [[0, 0], [1, 2], [states.length - 1, T - 1]]) {
      await figure.locator('.value-grid').first().locator('.value-cell').nth(layer * T + token).click();
      assert.ok(farthest(await gridValues(figure, 1), row(states[layer], token)) < 0.003, `${title}, layer ${layer}, token ${token}`);
    }
  }
});

test('what a layer makes on the way can be looked at: query, activation, context', async (t) => {
  const page = await open(t, { hash: learnAt('walk', TEXT) });
  await shownStep(page);
  const { trace } = expected.output;
  const look = async (title, cell, part, vector) => {
    const figure = figureAt(page, title);
    await figure.locator('.value-grid').first().locator('.value-cell').nth(cell).click();
    await figure.getByLabel('Show').selectOption(part);
    const shown = await gridValues(figure, 1);
    assert.equal(shown.length, vector.length);
    assert.ok(farthest(shown, vector) < 0.003, `${part}: ${farthest(shown, vector)}`);
  };
  const T = expected.ids.length;
  await look('2. Through the encoder', 2 * T + 1, 'query', row(trace['encoder.1.self_attention.query'], 1));
  await look('2. Through the encoder', 2 * T + 1, 'activation', row(trace['encoder.1.ffn.activation'], 1));
  await look('4. Inside the decoder', expected.sequence.length - 1 + 2, 'context', row(trace['decoder.0.self_attention.context'], 2));
  assert.equal(trace['encoder.1.self_attention.query'].shape.at(-1), WIDTH);
});

test('each step of the decoder has its logits, its probabilities, and where it looked', async (t) => {
  const page = await open(t, { hash: learnAt('walk', TEXT) });
  await shownStep(page);
  const figure = figureAt(page, '3. Writing, one token at a time');
  const { output: { logits, crossAttentions }, sequence, ids } = expected;
  const last = crossAttentions.at(-1), [, heads, rows, columns] = last.shape;
  for (let step = 0; step < sequence.length - 1; step++) {
    const values = row(logits, step), id = sequence[step + 1];
    assert.equal(Math.max(...values), values[id], 'greedy');
    const chosen = figure.locator('tr.chosen td');
    await eventually(async () => toNumber((await chosen.allInnerTexts())[0]), id);
    const [, logit, probability] = await chosen.allInnerTexts();
    const sum = values.reduce((all, value) => all + Math.exp(value - values[id]), 0);
    assert.ok(Math.abs(toNumber(logit) - values[id]) < 0.02, `${logit}, ${values[id]} expected`);
    assert.ok(Math.abs(parseFloat(probability) - 100 / sum) < 0.6, `${probability}, ${100 / sum} % expected`);
    const looked = (await figure.locator('.weight-bars li > :last-child').allInnerTexts()).map(parseFloat);
    assert.equal(looked.length, ids.length);
    looked.forEach((value, s) => {
      let mean = 0;
      for (let head = 0; head < heads; head++) mean += last.data[(head * rows + step) * columns + s] / heads;
      assert.ok(Math.abs(value - 100 * mean) < 0.6, `step ${step}, token ${s}: ${value}`);
    });
    await figure.getByRole('button', { name: 'Next' }).click();
  }
  await page.locator('.exercise-input').fill(String(sequence.length - 1));
  await page.locator('.exercise-input').press('Enter');
  await eventually(async () => /^Right/.test(await page.locator('.exercise-feedback').innerText()), true);
});
