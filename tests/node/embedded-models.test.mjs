// The models of the page against their golden.json: what transformers made of them in f32.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { opened } from './support.mjs';

const MODELS = path.join(import.meta.dirname, '../../demo/models');
const goldenOf = (name) => JSON.parse(readFileSync(path.join(MODELS, name, 'golden.json'), 'utf8')).cases;
const embedded = (t, name) => opened(t, path.join(MODELS, name), { dtype: 'f32' });

/** The cases that are not equal, printed, at most a hundredth of them where sums in another order may turn near ties. */
function assertEqualButFew(t, cases, got, wanted) {
  const wrong = cases.filter((item, i) => JSON.stringify(got[i]) !== JSON.stringify(wanted(item)));
  for (const { text, prompt } of wrong) t.diagnostic(`another answer: ${text ?? prompt}`);
  t.diagnostic(`${cases.length - wrong.length} of ${cases.length} equal`);
  assert.ok(wrong.length <= cases.length / 100, `${wrong.length} of ${cases.length} differ`);
}

test("the translator's tokenizer gives the ids of the Hugging Face library", async (t) => {
  const model = await embedded(t, 'en-fr');
  for (const { text, ids } of goldenOf('en-fr')) assert.deepEqual(model.tokenizer.encode(text).ids, ids, text);
});

test("the tale teller's tokenizer gives the ids of the Hugging Face library", async (t) => {
  const model = await embedded(t, 'tales');
  for (const { prompt, ids } of goldenOf('tales')) assert.deepEqual(model.tokenizer.encode(prompt).ids, ids, prompt);
});

test('translations by 4 beams are those of transformers, ids and scores', async (t) => {
  const model = await embedded(t, 'en-fr');
  const cases = goldenOf('en-fr');
  const texts = cases.map(({ text }) => text);
  const options = { numBeams: 4, lengthPenalty: 1, maxNewTokens: 96, returnScores: true };
  const { sequences, scores } = await model.translate(texts, options).result();
  assertEqualButFew(t, cases, sequences, ({ beam }) => beam.ids);
  // The file's scores differ by some 1e-4 either way from what the f16 weights give, as weights not yet rounded would.
  for (const [i, { beam, text }] of cases.entries())
    if (JSON.stringify(sequences[i]) === JSON.stringify(beam.ids)) assert.ok(Math.abs(scores[i] - beam.score) < 2e-3, text);
});

test('greedy translations are those of transformers', async (t) => {
  const model = await embedded(t, 'en-fr');
  const cases = goldenOf('en-fr');
  const options = { numBeams: 1, maxNewTokens: 96 };
  const { sequences } = await model.translate(cases.map(({ text }) => text), options).result();
  assertEqualButFew(t, cases, sequences, ({ greedy_ids }) => greedy_ids);
});

test('greedy tales are those of transformers', async (t) => {
  const model = await embedded(t, 'tales');
  const cases = goldenOf('tales');
  const got = [];
  for (const { ids, greedy_ids } of cases) {
    const { sequences } = await model.generate(ids, { doSample: false, maxNewTokens: greedy_ids.length }).result();
    got.push(sequences[0].slice(ids.length));
  }
  assertEqualButFew(t, cases, got, ({ greedy_ids }) => greedy_ids);
});
