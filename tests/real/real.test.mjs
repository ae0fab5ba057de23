// Real checkpoints against what PyTorch made of them: ../shared/golden/real, which says how. `npm run test:real` brings the checkpoints.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
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

/** exp of the mean loss over the first 20 kB of Aesop's fables, in windows of 512 tokens. */
async function perplexity(t, dtype) {
  const model = await opened(t, SMOLLM2, { dtype });
  const text = gunzipSync(readFileSync(path.join(SHARED, 'data/corpora/tales/aesop.en.txt.gz'))).toString().slice(0, 20_000);
  const { ids } = model.tokenizer.encode(text);
  let sum = 0, count = 0;
  for (let start = 0; start + 1 < ids.length; start += 512) {
    const window = ids.slice(start, start + 512), predicted = window.length - 1;
    const { loss } = await model.forward({ inputIds: [window], labels: [window] });
    sum += loss * predicted;
    count += predicted;
  }
  t.diagnostic(`${dtype}: perplexity ${Math.exp(sum / count).toFixed(3)} over ${count} tokens`);
  model.dispose();
  return Math.exp(sum / count);
}

test('SmolLM2 in int8 has the perplexity of its f32 within one percent', async (t) => {
  const [exact, rounded] = [await perplexity(t, 'f32'), await perplexity(t, 'int8')];
  assert.ok(Math.abs(rounded / exact - 1) < 0.01, `${rounded} beside ${exact}`);
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
