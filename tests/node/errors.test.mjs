import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { TransformerError, capabilities, causalMask, createModel, loadModel, oneHot } from 'webformer';
import { bert, llama } from '../fixtures/make_models.mjs';
import { opened, rejects, throws } from './support.mjs';

const source = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

test('the codes of TypeScript are those of C++, in the same order', () => {
  const cpp = /enum class Code \{([^}]+)\}/
    .exec(source('src/core/error.h'))[1]
    .replace(/\/\/.*/g, '')
    .match(/\w+/g);
  const typescript = /ERROR_CODES = \[([^\]]+)\]/.exec(source('web/errors.ts'))[1].match(/\w+/g);
  assert.deepEqual(typescript, cpp);
});

test('the version is that of package.json', async () => {
  assert.equal((await capabilities()).version, JSON.parse(source('package.json')).version);
});

test('an error is an Error with a code, and details for programs', async () => {
  const error = await rejects(loadModel(bert(), { dtpye: 'f32' }), 'invalid_argument');
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'TransformerError');
  assert.match(inspect(error), /^TransformerError: loadModel: unknown option/); // as node prints it
  assert.deepEqual(error.details, { option: 'dtpye', suggestion: 'dtype' });
});

test('an unknown option is refused, with the nearest known one', async (t) => {
  await rejects(loadModel(bert(), { max_length: 3 }), 'invalid_argument', /unknown option 'max_length'; did you mean 'maxLength'\?/);
  const model = await opened(t, bert());
  await rejects(model.forward({ inputIds: [[1]] }, { attention: true }), 'invalid_argument', /'attention'; did you mean 'attentions'\?/);
  await rejects(model.forward({ inputids: [[1]] }), 'invalid_argument', /did you mean 'inputIds'\?/);
  await rejects(model.embed('the fox', { poolling: 'cls' }), 'invalid_argument', /did you mean 'pooling'\?/);
  await rejects(model.generate([1], { zzz: 1 }).result(), 'invalid_argument', /unknown option 'zzz'; there are: maxNewTokens/);
});

test('threads that this build does not have are no error, and no secret', async (t) => {
  const plain = await opened(t, bert(), { threads: 'auto' });
  assert.ok(!('threadsReason' in plain.info) && !('threadsReason' in (await opened(t, bert(), { threads: 1 })).info));
  assert.ok((await capabilities()).reasons.includes('Models run on one thread.'));
  for (const worker of [false, true]) {
    const { info } = await opened(t, bert(), { threads: 4, worker });
    assert.equal(info.threadsReason, '4 threads were asked for; models run on one thread.');
    const { threads, reasons } = await capabilities();
    assert.equal(threads, 1);
    assert.ok(reasons.includes(info.threadsReason), reasons.join());
  }
});

test('values of the wrong kind are refused by name', async () => {
  const wrong = {
    dtype: 'int3',
    device: 'gpu',
    threads: 0,
    maxLength: 1.5,
    worker: 1,
    cache: 'yes',
    integrity: { a: 'b' },
    headers: { a: 'b\nc' },
    onProgress: 3,
    signal: {},
    wasmUrl: 7,
  };
  for (const [name, value] of Object.entries(wrong))
    await rejects(loadModel(bert(), { [name]: value }), 'invalid_argument', new RegExp(name));
  for (const source of [undefined, null, 3, '', [], new Map(), [new Uint8Array(3)], new Map([['a', 'text']])])
    await rejects(loadModel(source), 'invalid_argument', /source/);
});

test('TransformerError can be made by hand', () => {
  const error = new TransformerError('aborted', 'x', { cause: 7 });
  assert.equal(error.name, 'AbortError');
  assert.equal(error.cause, 7);
});

const WRONG = [null, NaN, Infinity, -1, 1.5, 2 ** 53, 1e308, 'x', true, [], {}, 3n, () => 1, Symbol('x'), [null], [[NaN]], '\ud800'];

test('no value of any option and no input makes another error than a TransformerError, or a bug', async (t) => {
  const [model, encoder] = [await opened(t, llama()), await opened(t, bert())], { tokenizer } = model;
  const one = { maxNewTokens: 1 };
  const calls = [
    ...['maxNewTokens', 'temperature', 'topK', 'seed', 'numBeams', 'stop', 'badWordsIds', 'eosTokenId', 'signal'].map((name) =>
      (value) => model.generate('a', { ...one, [name]: value === 2 ** 53 || value === 1e308 ? -1 : value }).result()),
    ...['attentions', 'hiddenStates', 'logits', 'trace', 'signal'].map((name) =>
      (value) => encoder.forward({ inputIds: [[1]] }, { [name]: value })),
    ...['inputIds', 'attentionMask', 'tokenTypeIds', 'positionIds', 'labels'].map((name) =>
      (value) => encoder.forward({ inputIds: [[1]], [name]: value })),
    ...['truncation', 'padding', 'pair'].map((name) => (value) => tokenizer.encode('a', { [name]: value })),
    (value) => model.generate(value, one).result(), (value) => encoder.embed(value), (value) => encoder.embed('a', value),
    (value) => encoder.classify(value), (value) => encoder.fillMask(value), (value) => encoder.similarity('a', value),
    (value) => model.train(value, { steps: 1 }).result(), (value) => model.train({ task: 'text-generation', rows: ['a'] }, value).result(),
    (value) => tokenizer.encodeBatch(value), (value) => tokenizer.decode(value), (value) => tokenizer.addTokens(value),
    (value) => createModel(value), (value) => createModel({ model_type: 'llama', vocab_size: value }), (value) => loadModel(bert(), value),
  ];
  for (const call of calls)
    for (const value of [undefined, ...WRONG]) {
      const error = await new Promise((resolve) => resolve(call(value))).then((made) => void made?.dispose?.(), (thrown) => thrown);
      if (error === undefined) continue;
      assert.ok(error instanceof TransformerError, `${call} of ${inspect(value)}: ${error.stack}`);
      assert.notEqual(error.code, 'internal_error', error.message);
    }
});

test('what is no JSON, and what no memory holds, is refused', async () => {
  const cyclic = { model_type: 'llama' };
  cyclic.self = cyclic;
  await rejects(createModel(cyclic), 'invalid_argument', /no JSON: .*circular/);
  await rejects(createModel({ model_type: 'llama', vocab_size: 3n }), 'invalid_argument', /no JSON/);
  await rejects(createModel([]), 'invalid_argument', /config: a list found, an object expected/);
  throws(() => causalMask(1e6), 'out_of_memory', /length: 1000000000000 numbers/);
  throws(() => oneHot([1], 2 ** 40), 'out_of_memory', /size: 1099511627776 numbers/);
});
