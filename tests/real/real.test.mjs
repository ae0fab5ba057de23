// Real checkpoints against what PyTorch made of them: ../shared/golden/real, which says how. `npm run test:real` brings the checkpoints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { cosineSimilarity } from 'webformer';
import { MINILM, SMOLLM2 } from '../../wasm/setup/real-models.mjs';
import { opened } from '../node/support.mjs';

const SHARED = process.env.WEBFORMER_SHARED ?? path.join(import.meta.dirname, '../../../shared');
const goldenOf = (name) => JSON.parse(readFileSync(path.join(SHARED, 'golden/real', name), 'utf8'));

/** The embedding of each golden text by MiniLM, and the worst cosine with what PyTorch gave. */
async function worstEmbedding(t, dtype) {
  const { cases } = goldenOf('minilm.json');
  const model = await opened(t, MINILM, { dtype });
  for (const { text, ids } of cases) assert.deepEqual(model.tokenizer.encode(text).ids.slice(0, 256).slice(0, -1), ids.slice(0, -1), text);
  const { data, shape } = await model.embed(cases.map(({ text }) => text));
  const cosines = cases.map(({ embedding }, i) => cosineSimilarity(data.subarray(i * shape[1], (i + 1) * shape[1]), embedding));
  t.diagnostic(`worst cosine ${Math.min(...cosines).toFixed(6)}`);
  return Math.min(...cosines);
}

test('MiniLM in f32 embeds as PyTorch does', async (t) => assert.ok((await worstEmbedding(t, 'f32')) >= 0.9999));

test('MiniLM in int8 stays near f32', async (t) => assert.ok((await worstEmbedding(t, 'int8')) >= 0.999));

test('MiniLM in int4 stays near f32', async (t) => assert.ok((await worstEmbedding(t, 'int4')) >= 0.98));

test('SmolLM2 goes on as PyTorch does with the weights of the GGUF, up to the first near tie', async (t) => {
  const model = await opened(t, SMOLLM2, { dtype: 'f32' });
  for (const { prompt, ids, greedy_ids, greedy_text, margins } of goldenOf('smollm2.json').cases) {
    assert.deepEqual(model.tokenizer.encode(prompt).ids, ids, prompt);
    const { sequences, texts } = await model.generate(ids, { doSample: false, maxNewTokens: greedy_ids.length }).result();
    const near = margins.findIndex((margin) => margin < 0.5);
    const sure = near < 0 ? greedy_ids.length : near;
    const made = sequences[0].slice(ids.length);
    t.diagnostic(`${made.findIndex((id, i) => id !== greedy_ids[i])} is the first step that differs (-1: none), ${sure} are sure`);
    assert.deepEqual(made.slice(0, sure), greedy_ids.slice(0, sure), prompt);
    if (near < 0) assert.equal(texts[0], greedy_text.replace('<|im_end|>', ''));
  }
});

test('BART spells words in phonemes as PyTorch does', async (t) => {
  const model = await opened(t, path.join(SHARED, 'data/models/bart-g2p-us/'), { dtype: 'f32' });
  for (const { word, input_ids, greedy, beam4 } of goldenOf('g2p.json').cases) {
    for (const [numBeams, golden] of [[1, greedy], [4, beam4]]) {
      const options = { numBeams, maxNewTokens: 60, returnScores: true };
      const { sequences, scores } = await model.generate({ inputIds: [input_ids] }, options).result();
      assert.deepEqual(sequences[0], golden.sequence, `${word}, ${numBeams} beams`);
      if (golden.score !== undefined) assert.ok(Math.abs(scores[0] - golden.score) < 1e-4, word);
    }
  }
});
