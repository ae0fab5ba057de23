// Training through the package: what is learned, and what a run keeps to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModel, trainTokenizer } from 'webformer';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { opened, rejects, throws } from './support.mjs';

const GPT = {
  model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], vocab_size: 64, n_embd: 32, n_head: 2, n_layer: 2, n_positions: 64,
  initializer_range: 0.1, eos_token_id: 0, bos_token_id: 0,
};
const TEXT = 'the quick brown fox jumps over the lazy dog';
const OPTIONS = { steps: 60, seed: 1, optimizer: { learningRate: 0.01, clip: 1 } };

async function gpt(t, options = {}) {
  const tokenizer = await trainTokenizer('char', [TEXT], { vocabSize: 64, specialTokens: ['<eos>'] });
  const model = await createModel(GPT, { tokenizer, seed: 5, worker: false, ...options });
  t.after(() => model.dispose());
  return model;
}

const lossesOf = async (run) => {
  const losses = [];
  for await (const { loss } of run) losses.push(loss);
  return losses;
};

for (const worker of [true, false]) {
  test(`a tiny GPT learns a text by heart, ${worker ? 'in a worker' : 'on the calling thread'}`, async (t) => {
    const model = await gpt(t, { worker });
    const run = model.train({ task: 'text-generation', rows: [TEXT] }, OPTIONS);
    const steps = [];
    for await (const step of run) steps.push(step);
    assert.deepEqual(steps.map(({ step }) => step), Array.from({ length: 60 }, (_, i) => i + 1));
    // A model that knows nothing of V tokens has a loss of ln V.
    assert.ok(Math.abs(steps[0].loss - Math.log(64)) < 0.8, `${steps[0].loss} at first`);
    assert.ok(steps.at(-1).loss < 0.1, `${steps.at(-1).loss} at last`);
    assert.deepEqual(await run.result(), { steps: 60, loss: steps.at(-1).loss });
    assert.ok(steps.every(({ learningRate }) => learningRate === 0.01));
    assert.ok(steps.every(({ tokensPerSecond, gradientNorm }) => tokensPerSecond > 0 && gradientNorm > 0));
    const { texts } = await model.generate('the quick', { doSample: false, maxNewTokens: 60 }).result();
    assert.equal(texts[0], TEXT.slice('the quick'.length));
  });
}

test('the same seed makes the same losses, another one others', async (t) => {
  const rows = [...TEXT.matchAll(/\w+ \w+/g)].map(([words]) => words);
  const losses = async (seed) =>
    lossesOf((await gpt(t)).train({ task: 'text-generation', rows }, { ...OPTIONS, steps: 8, batchSize: 2, dropout: 0.1, seed }));
  const first = await losses(3);
  assert.deepEqual(await losses(3), first);
  assert.notDeepEqual(await losses(4), first);
});

test('an abort ends the run; the model answers and trains on', async (t) => {
  const model = await gpt(t);
  const abort = new AbortController();
  const run = model.train({ task: 'text-generation', rows: [TEXT] }, { ...OPTIONS, steps: 10_000, signal: abort.signal });
  throws(() => model.train({ task: 'text-generation', rows: [TEXT] }, OPTIONS), 'busy');
  let seen = 0;
  await rejects((async () => {
    for await (const { step } of run) if ((seen = step) === 3) abort.abort();
  })(), 'aborted');
  await rejects(run.result(), 'aborted');
  assert.ok(seen < 100, `${seen} steps`);
  const { logits } = await model.forward({ inputIds: [[1, 2, 3]] });
  assert.ok(logits.data.every(Number.isFinite));
  assert.equal((await model.train({ task: 'text-generation', rows: [TEXT] }, { ...OPTIONS, steps: 2 }).result()).steps, 2);
});

test('inference runs between steps, on the weights as they are then', async (t) => {
  const model = await gpt(t);
  const ask = async () => [...(await model.forward({ inputIds: [[1, 2, 3]] })).logits.data];
  const before = await ask();
  let during, ended = false;
  const run = model.train({ task: 'text-generation', rows: [TEXT] }, { ...OPTIONS, steps: 40 });
  void run.result().then(() => (ended = true));
  for await (const { step } of run) {
    if (step !== 2) continue;
    during = await ask();
    assert.equal(ended, false, 'the answer came before the end of the training');
  }
  assert.notDeepEqual(during, before);
  assert.notDeepEqual(await ask(), during);
});

test('a run goes on from a checkpoint as if it had not stopped', async (t) => {
  const data = { task: 'text-generation', rows: TEXT.split(' o') };
  const options = { ...OPTIONS, batchSize: 1, steps: 6, schedule: { kind: 'cosine', warmup: 2 } };
  const expected = await lossesOf((await gpt(t)).train(data, options));
  let checkpoint;
  const first = (await gpt(t)).train(data, { ...options, checkpointEvery: 4, onCheckpoint: (bytes) => (checkpoint = bytes) });
  await first.result();
  assert.deepEqual(await lossesOf((await gpt(t)).train(data, { ...options, resume: checkpoint })), expected.slice(4));
});

test('rows that are batches: accumulated, they make the step of one batch', async (t) => {
  const row = (ids) => ({ inputIds: ids, labels: ids });
  const whole = await lossesOf((await gpt(t)).train({ task: 'batches', rows: [row([[1, 2, 3], [4, 5, 6]])] }, { ...OPTIONS, steps: 3 }));
  const parts = await lossesOf((await gpt(t)).train(
    { task: 'batches', rows: [row([[1, 2, 3]]), row([[4, 5, 6]])] }, { ...OPTIONS, steps: 3, accumulate: 2, shuffle: false },
  ));
  whole.forEach((loss, i) => assert.ok(Math.abs(loss - parts[i]) < 1e-5 * loss, `${loss}, ${parts[i]}`));
});

test('a stream of rows is read once, to its end', async (t) => {
  async function* rows() {
    for (let i = 0; i < 5; i++) yield TEXT;
  }
  const model = await gpt(t);
  assert.equal((await model.train({ task: 'text-generation', rows: rows() }, { batchSize: 2 }).result()).steps, 3);
  const unbounded = model.train({ task: 'text-generation', rows: rows() }, { schedule: { kind: 'linear' } });
  await rejects(unbounded.result(), 'invalid_argument', /steps/);
});

test('translations are learned, and what was learned is saved', async (t) => {
  const model = await opened(t, marian(), { dtype: 'f16' });
  const rows = [{ source: 'hello world', target: 'hallo welt' }];
  const losses = await lossesOf(model.train({ task: 'translation', rows }, { steps: 30, optimizer: { learningRate: 0.01 } }));
  assert.ok(losses.at(-1) < 0.5 * losses[0], `${losses[0]} became ${losses.at(-1)}`);
  assert.equal(model.info.dtype, 'f32');
  const again = await opened(t, await model.save());
  const inputs = { inputIds: [[5, 6, 2]], decoderInputIds: [[3, 5]] };
  assert.deepEqual((await again.forward(inputs)).logits, (await model.forward(inputs)).logits);
});

test('what cannot be trained is refused by its name', async (t) => {
  const model = await gpt(t);
  const data = { task: 'text-generation', rows: [TEXT] };
  const refused = (options, code, pattern, given = data) => rejects(model.train(given, options).result(), code, pattern);
  await refused({ lora: { rank: 0 } }, 'invalid_argument', /lora.rank/);
  await refused({ lora: { rank: 4, target: ['c_attn'] } }, 'invalid_argument', /did you mean 'targets'/);
  await refused({ validation: { ...data, rows: [1] } }, 'invalid_argument', /validation.rows\[0\]: 1 found, a text expected/);
  await refused({ step: 4 }, 'invalid_argument', /did you mean 'steps'/);
  await refused({ optimizer: { learningRate: -1 } }, 'invalid_argument', /learningRate/);
  await refused({ steps: 2, epochs: 2 }, 'invalid_argument', /one expected/);
  await refused({}, 'invalid_argument', /'masked-lm'.*fill in/, { ...data, task: 'masked-lm' });
  await refused({}, 'invalid_argument', /did you|one of/, { ...data, task: 'other' });
  await refused({}, 'invalid_argument', /no labels/, { task: 'text-classification', rows: [{ text: 'a', label: 'b' }] });
  await refused({ freeze: ['nothing'] }, 'invalid_argument', /nothing/);
  await refused({ resume: new Uint8Array(4) }, 'invalid_file', /checkpoint/);
  const encoder = await opened(t, bert());
  await rejects(encoder.train(data, {}).result(), 'invalid_argument', /go on/);
});
