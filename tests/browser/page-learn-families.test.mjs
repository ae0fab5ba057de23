// The step of the three families. Expected: what the same models give in node.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadModel } from '../../dist/index.js';
import { farthest, gridValues, learnAt, shownStep } from './learn-driver.mjs';
import { eventually, MODELS, pageForTests } from './page-driver.mjs';

const open = pageForTests();
const TEXT = 'Where is the station?';

const meanOfHeads = ({ data, shape: [, heads, rows, columns] }) => Array.from({ length: rows * columns }, (_, i) => {
  let sum = 0;
  for (let head = 0; head < heads; head++) sum += data[head * rows * columns + i];
  return sum / heads;
});

test('the attention and the outputs of the three are those of the models', async (t) => {
  const enFr = await loadModel(path.join(MODELS, 'en-fr')), tales = await loadModel(path.join(MODELS, 'tales'));
  const { ids } = enFr.tokenizer.encode(TEXT), story = tales.tokenizer.encode(TEXT).ids;
  const { sequences: [sequence] } = await enFr.translate(TEXT, { numBeams: 1 }).result();
  const both = await enFr.forward({ inputIds: [ids], decoderInputIds: [sequence.slice(0, -1)] }, { attentions: true });
  const next = await tales.forward({ inputIds: [story] }, { attentions: true, logits: 'last' });
  const expected = [both.encoderAttentions, next.attentions, both.crossAttentions].map((layers) => meanOfHeads(layers.at(-1)));
  const best = tales.tokenizer.tokenOf(next.logits.data.indexOf(Math.max(...next.logits.data))).replace('Ġ', '·');
  const written = sequence.slice(1).map((id) => enFr.tokenizer.tokenOf(id));
  enFr.dispose();
  tales.dispose();

  const page = await open(t, { hash: learnAt('families', TEXT) });
  await shownStep(page);
  for (const [i, weights] of expected.entries()) {
    const shown = await gridValues(page.locator('.family').nth(i));
    assert.ok(farthest(shown, weights) < 0.003, `family ${i}: ${farthest(shown, weights)}`);
  }
  assert.equal(await page.locator('.family').nth(1).locator('.weight-bars bdi').first().innerText(), best);
  assert.deepEqual(await page.locator('.family').nth(2).locator('.weight-bars bdi').allInnerTexts(), written);
});

test('a choice is checked, and chosen by keyboard', async (t) => {
  const page = await open(t, { hash: learnAt('families') });
  await shownStep(page);
  const verdict = async (pattern) => eventually(async () => pattern.test(await page.locator('.exercise-feedback').innerText()), true);
  await page.getByRole('button', { name: 'Check' }).click();
  await verdict(/^Choose one/);
  await page.getByRole('radio', { name: 'Decoder only' }).check();
  await page.getByRole('button', { name: 'Check' }).click();
  await verdict(/^Not yet/);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await verdict(/^Right/);
});
