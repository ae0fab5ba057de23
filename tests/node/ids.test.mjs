import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causalMask, cosineSimilarity, oneHot, paddingMask } from 'webformer';
import { bert, llama, marian, summarizer } from '../fixtures/make_models.mjs';
import { opened, rejects, throws } from './support.mjs';

const rows = (tensor) => {
  const width = tensor.shape.at(-1);
  return Array.from({ length: tensor.data.length / width }, (_, i) => [...tensor.data.subarray(i * width, (i + 1) * width)]);
};
const near = (got, want, tolerance = 1e-5) =>
  got.forEach((value, i) => assert.ok(Math.abs(value - want[i]) <= tolerance, `${value} for ${want[i]} at ${i}`));

test('ids that are no ids are refused with their place', async (t) => {
  const model = await opened(t, bert());
  for (const [wrong, place] of [
    [[[1, -1]], '\\[0\\]\\[1\\]: -1'],
    [[[1], [NaN]], '\\[1\\]\\[0\\]: NaN'],
    [[[1.5]], '1.5'],
    [[[3n]], '3n'],
    [[['1']], '"1"'],
    [[[null]], 'null'],
    [[[2 ** 31]], '2147483648'],
    [[[, 1]], 'undefined'],
  ])
    await rejects(model.forward({ inputIds: wrong }), 'invalid_argument', new RegExp(`inputIds.*${place}`));
  for (const wrong of [[new Float32Array(2)], [new BigInt64Array(2)], ['12'], 'ids', [[1], [1, 2]], [{ length: 1 }]])
    await rejects(model.forward({ inputIds: wrong }), 'invalid_argument', /inputIds/);
  await rejects(model.forward({ inputIds: [[1, 99]] }), 'invalid_argument', /99/);
  await rejects(model.forward({}), 'invalid_argument', /inputIds/);
  await rejects(model.forward([[1]]), 'invalid_argument', /inputs/);
  await rejects(model.forward({ inputIds: [[1, 2]], attentionMask: [[1]] }), 'invalid_argument', /attention.?mask/i);
  await rejects(model.forward({ inputIds: [Array(33).fill(1)] }), 'context_full', /32 positions/);
});

test('a row without ids is refused with its place', async (t) => {
  for (const make of [bert, llama, marian]) {
    const model = await opened(t, make());
    await rejects(model.forward({ inputIds: [[]] }), 'invalid_argument', /^inputIds\[0\]: no ids found, at least 1 expected$/);
    await rejects(model.forward({ inputIds: [new Int32Array(0)] }), 'invalid_argument', /^inputIds\[0\]: no ids/);
    await rejects(model.forward({ inputIds: [] }), 'invalid_argument', /^inputIds: a list without rows/);
  }
  const translator = await opened(t, marian());
  await rejects(translator.forward({ inputIds: [[1]], decoderInputIds: [[]] }), 'invalid_argument', /^decoderInputIds\[0\]: no ids/);
});

test('token types are refused by models that have none, be they 0', async (t) => {
  for (const make of [llama, marian]) {
    const model = await opened(t, make()), inputs = { inputIds: [[1, 2]], tokenTypeIds: [[0, 0]] };
    const refusal = new RegExp(`^tokenTypeIds: ${model.info.modelType} has no token types`);
    await rejects(model.forward(inputs), 'invalid_argument', refusal);
    const data = { task: 'batches', rows: [{ ...inputs, labels: [[1, 2]] }] };
    await rejects(model.train(data, { steps: 1, optimizer: { learningRate: 0.1 } }).result(), 'invalid_argument', refusal);
  }
  const model = await opened(t, bert());
  assert.ok(await model.forward({ inputIds: [[1, 2]], tokenTypeIds: [[0, 1]] }));
});

test('more tokens than the context are refused with both numbers, whatever the positions are', async (t) => {
  for (const files of [bert(), llama({ length: 32 }), marian(), summarizer()]) {
    const model = await opened(t, files);
    const more = model.info.kind === 'encoder-decoder' ? { decoderInputIds: [[1]] } : {};
    assert.equal(model.info.contextLength, 32);
    const row = (length) => Array(length).fill(1);
    await model.forward({ ...more, inputIds: [row(32)] });
    const error = await rejects(model.forward({ ...more, inputIds: [row(33)] }), 'context_full', /inputIds: row 0 has 33 tokens, .*32/);
    assert.deepEqual({ ...error.details }, { found: '33', limit: '32' });
    await rejects(model.forward({ ...more, inputIds: [row(3)], positionIds: [[0, 1, 32]] }), 'context_full', /position 32.*32/);
    await rejects(model.forward({ ...more, inputIds: [row(3)], positionIds: [[0, 1]] }), 'invalid_argument', /positionIds/);
    if (model.info.kind === 'encoder-decoder')
      await rejects(model.forward({ inputIds: [row(3)], decoderInputIds: [row(33)] }), 'context_full', /decoderInputIds: row 0 has 33/);
    else {  // a batch may be wider than the context, where its padding is not seen
      const { lastHiddenState } = await model.forward({ inputIds: [row(40)], attentionMask: [[...row(32), ...Array(8).fill(0)]] });
      assert.deepEqual(lastHiddenState.shape, [1, 40, model.info.width]);
    }
  }
});

test('inputs of a decoder beside an encoder are refused by models that have none', async (t) => {
  const inputIds = [[1, 2]];
  for (const make of [bert, llama]) {
    const model = await opened(t, make());
    for (const name of ['decoderInputIds', 'decoderAttentionMask'])
      await rejects(model.forward({ inputIds, [name]: [[1, 1]] }), 'invalid_argument', new RegExp(`^${name}: ${model.info.modelType} `));
  }
  const decoder = await opened(t, llama());
  await rejects(decoder.generate({ inputIds, decoderInputIds: [[1]] }).result(), 'invalid_argument', /^decoderInputIds: llama /);
  await rejects(decoder.generate({ inputIds, decoderAttentionMask: [[1]] }).result(), 'invalid_argument', /^decoderAttentionMask: /);
  const both = await opened(t, marian());
  await rejects(both.generate({ inputIds, decoderAttentionMask: [[1]] }).result(), 'invalid_argument', /^decoderAttentionMask: /);
  const wider = { inputIds, decoderInputIds: [[1]], decoderAttentionMask: [[1, 1]] };
  await rejects(both.forward(wider), 'invalid_argument', /decoderAttentionMask/);
});

test('an Int32Array whose memory went elsewhere is refused', async (t) => {
  const model = await opened(t, bert());
  const ids = Int32Array.of(1, 2);
  structuredClone(ids, { transfer: [ids.buffer] });
  await rejects(model.forward({ inputIds: [ids] }), 'invalid_argument', /transferred/);
});

test('what is handed in is left as it was', async (t) => {
  const files = bert(),
    before = new Map([...files].map(([name, bytes]) => [name, Buffer.from(bytes)]));
  const model = await opened(t, files);
  const ids = Int32Array.of(2, 5, 6, 3);
  await model.forward({ inputIds: [ids] });
  assert.deepEqual([...ids], [2, 5, 6, 3]);
  for (const [name, bytes] of files) assert.ok(before.get(name).equals(bytes), name);
});

test('padding does not change what a row gives', async (t) => {
  const model = await opened(t, bert());
  const alone = await model.forward({ inputIds: [[2, 5, 6, 3]] });
  const padded = await model.forward({
    inputIds: [
      [2, 5, 6, 3, 0, 0],
      [2, 5, 6, 7, 8, 3],
    ],
    attentionMask: [
      [1, 1, 1, 1, 0, 0],
      [1, 1, 1, 1, 1, 1],
    ],
  });
  assert.deepEqual(padded.logits.shape, [2, 6, model.info.vocabSize]);
  for (let i = 0; i < 4; i++) near(rows(padded.logits)[i], rows(alone.logits)[i]);
});

test('logits of all, the last, chosen or no positions are the same numbers', async (t) => {
  const model = await opened(t, llama());
  const inputs = { inputIds: [[0, 40, 50, 60]] };
  const all = rows((await model.forward(inputs)).logits);
  near(rows((await model.forward(inputs, { logits: 'last' })).logits)[0], all[3]);
  const chosen = rows((await model.forward(inputs, { logits: [1, 3] })).logits);
  near(chosen[0], all[1]);
  near(chosen[1], all[3]);
  assert.equal((await model.forward(inputs, { logits: 'none' })).logits, undefined);
  await rejects(model.forward(inputs, { logits: [4] }), 'invalid_argument', /4/);
  await rejects(model.forward(inputs, { logits: 'first' }), 'invalid_argument', /logits/);
});

test('attentions are probabilities, hidden states one more than layers', async (t) => {
  const model = await opened(t, bert());
  const { attentions, hiddenStates, lastHiddenState } = await model.forward(
    { inputIds: [[2, 5, 6, 3]] },
    { attentions: true, hiddenStates: true },
  );
  assert.equal(attentions.length, model.info.layers);
  assert.deepEqual(attentions[0].shape, [1, model.info.heads, 4, 4]);
  for (const row of attentions.flatMap(rows)) near([row.reduce((a, b) => a + b)], [1]);
  assert.equal(hiddenStates.length, model.info.layers + 1);
  assert.deepEqual([...hiddenStates.at(-1).data], [...lastHiddenState.data]);
});

test('a trace gives the named tensors, and wildcards several', async (t) => {
  const model = await opened(t, bert());
  const { trace } = await model.forward(
    { inputIds: [[2, 5, 3]] },
    { trace: ['encoder.*.self_attention.weights', 'encoder.1.ffn.activation'] },
  );
  assert.deepEqual(Object.keys(trace).sort(), [
    'encoder.0.self_attention.weights',
    'encoder.1.ffn.activation',
    'encoder.1.self_attention.weights',
  ]);
  assert.deepEqual(trace['encoder.0.self_attention.weights'].shape, [1, 2, 3, 3]);
});

test('the loss is the mean cross-entropy of the labels that are not -100', async (t) => {
  const model = await opened(t, bert());
  const inputIds = [[2, 4, 6, 3]];
  const { logits, loss } = await model.forward({ inputIds, labels: [[-100, 7, 6, -100]] });
  const nll = (row, label) => Math.log(row.reduce((sum, x) => sum + Math.exp(x), 0)) - row[label];
  const [, second, third] = rows(logits);
  near([loss], [(nll(second, 7) + nll(third, 6)) / 2]);
});

test('masks, one-hot rows and the cosine are as their definitions', () => {
  assert.deepEqual(rows(causalMask(3)), [
    [1, 0, 0],
    [1, 1, 0],
    [1, 1, 1],
  ]);
  assert.deepEqual(
    paddingMask(
      [
        [5, 0],
        [7, 8],
      ],
      0,
    ),
    { data: Float32Array.of(1, 0, 1, 1), shape: [2, 1, 1, 2] },
  );
  assert.deepEqual(rows(oneHot([1, 0], 3)), [
    [0, 1, 0],
    [1, 0, 0],
  ]);
  throws(() => oneHot([3], 3), 'invalid_argument', /3 found, less than 3/);
  near([cosineSimilarity([1, 0], [1, 1])], [Math.SQRT1_2], 1e-15);
  assert.equal(cosineSimilarity([0, 0], [1, 1]), 0);
  throws(() => cosineSimilarity([1], [1, 2]), 'invalid_argument');
});

test('a traced name that nothing has is refused, and so are options that are no object', async (t) => {
  const model = await opened(t, llama());
  const inputs = { inputIds: [[1, 2]] };
  await rejects(model.forward(inputs, { trace: ['decoder.0.self_attention.qery'] }), 'invalid_argument', /trace: .*self_attention\.qery/);
  await rejects(model.forward(inputs, { trace: ['nothing.*'] }), 'invalid_argument', /nothing\.\*/);
  const { trace } = await model.forward(inputs, { trace: ['decoder.0.self_attention.query', 'nothing.*'] });
  assert.deepEqual(Object.keys(trace), ['decoder.0.self_attention.query']);
  for (const options of [null, 5, [], 'fast'])
    await rejects(model.generate([1], options).result(), 'invalid_argument', /generate: options are/);
});
