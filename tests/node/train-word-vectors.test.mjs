// trainWordVectors: Word2Vec on the calling thread.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadWordVectors, trainWordVectors } from 'webformer';
import { rejects, throws } from './support.mjs';

/** Texts that say of each of four who it is, and what it does. */
function royalTexts() {
  const royal = ['crown', 'throne', 'palace'], common = ['field', 'village', 'plough'];
  const male = ['he', 'beard', 'sir'], female = ['she', 'dress', 'lady'];
  const of = { king: [...royal, ...male], queen: [...royal, ...female], man: [...common, ...male], woman: [...common, ...female] };
  const texts = Object.entries(of).flatMap(([who, around]) =>
    around.flatMap((one) => around.filter((other) => other !== one).map((other) => `${one} ${who} ${other}`)));
  return Array.from({ length: 10 }, () => texts).flat();
}

const OPTIONS = { dimensions: 16, window: 2, epochs: 30, subsample: 0, learningRate: 0.05, seed: 1 };

for (const kind of ['skip-gram', 'cbow']) {
  test(`${kind}: king - man + woman is queen where the texts say so, and vectors are saved as word2vec's text`, async () => {
    const run = trainWordVectors(royalTexts(), { ...OPTIONS, kind });
    const steps = [];
    for await (const step of run) steps.push(step);
    assert.ok(steps.at(-1).loss < steps[0].loss);
    assert.ok(steps.at(-1).learningRate < 0.1 * steps[0].learningRate);
    assert.equal(steps.at(-1).remainingMs, 0);
    assert.ok(steps.every(({ gradientNorm, tokensPerSecond }) => gradientNorm > 0 && tokensPerSecond > 0));
    assert.deepEqual(await run.result(), { steps: steps.length, loss: steps.at(-1).loss });
    const vectors = await run.vectors();
    assert.equal(vectors.nearest({ positive: ['king', 'woman'], negative: ['man'] }, 1)[0].word, 'queen');
    assert.equal(vectors.dimensions, 16);
    const again = await loadWordVectors(new Map([['vectors.txt', new TextEncoder().encode(vectors.save())]]));
    assert.deepEqual(again.vector('king'), vectors.vector('king'));
  });
}

test('a stream of texts learns what a list does; the seed decides', async () => {
  async function* stream() {
    yield* royalTexts();
  }
  const vectorOf = async (texts, seed = 1) =>
    (await trainWordVectors(texts, { ...OPTIONS, epochs: 1, seed }).vectors()).vector('king');
  const expected = await vectorOf(royalTexts());
  assert.deepEqual(await vectorOf(stream()), expected);
  assert.notDeepEqual(await vectorOf(royalTexts(), 2), expected);
});

test('an abort ends it, also while a stream hangs', async () => {
  const abort = new AbortController();
  const run = trainWordVectors(royalTexts(), { ...OPTIONS, epochs: 100_000, signal: abort.signal });
  await assert.rejects(async () => {
    for await (const { step } of run) if (step === 2) abort.abort();
  }, { code: 'aborted' });
  await rejects(run.vectors(), 'aborted');
  const hanging = new AbortController();
  const stream = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
  const other = trainWordVectors(stream, { signal: hanging.signal });
  setTimeout(() => hanging.abort(), 20);
  await rejects(other.result(), 'aborted');
});

test('what it does not know, and texts that say nothing, are refused', async () => {
  throws(() => trainWordVectors(['a b'], { dimension: 3 }), 'invalid_argument', /did you mean 'dimensions'/);
  throws(() => trainWordVectors(['a b'], { kind: 'glove' }), 'invalid_argument', /kind/);
  throws(() => trainWordVectors(['a b'], { window: 0 }), 'invalid_argument', /window/);
  throws(() => trainWordVectors(['a b'], { learningRate: NaN }), 'invalid_argument', /learningRate/);
  throws(() => trainWordVectors('a b'), 'invalid_argument', /texts/);
  await rejects(trainWordVectors([]).result(), 'invalid_argument', /0 words/);
  await rejects(trainWordVectors(['a b'], { minCount: 2 }).vectors(), 'invalid_argument', /0 words are there at least 2 times/);
  await rejects(trainWordVectors(['a b', 3]).result(), 'invalid_argument', /texts\[1\]/);
});
