// Tasks by their names, loading by transformers.js' options, what is refused, and streamers.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { loadModel } from 'webformer';
import { TextStreamer, pipeline } from 'webformer/pipeline';
import { classifier, tagger } from '../fixtures/make_encoders.mjs';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { changed, rejects, throws } from './support.mjs';

const TALES = path.join(import.meta.dirname, '../../demo/models/tales');
const TASKS = [
  'text-classification', 'token-classification', 'zero-shot-classification', 'question-answering', 'fill-mask', 'feature-extraction',
  'text-generation', 'text2text-generation', 'summarization', 'translation',
];

async function opened(t, ...args) {
  const pipe = await pipeline(...args);
  t.after(() => pipe.dispose());
  return pipe;
}

test('a pipeline has its task without the alias, its model and its tokenizer, until it is disposed', async (t) => {
  const files = classifier(['a', 'b']);
  const pipe = await opened(t, 'sentiment-analysis', files);
  assert.equal(pipe.task, 'text-classification');
  assert.equal(pipe.tokenizer, pipe.model.tokenizer);
  assert.deepEqual(pipe.model.info.labels, ['a', 'b']);
  assert.equal((await opened(t, 'embeddings', bert())).task, 'feature-extraction');
  assert.equal((await opened(t, 'translation_en_to_fr', marian())).task, 'translation_en_to_fr');
  await pipe.dispose();
  await rejects(pipe('the fox'), 'disposed');
});

test('a task that there is none of is refused with those that there are, and so is one of images or sound', async () => {
  for (const [task, pattern] of [
    ['poetry', /unknown task 'poetry'/], ['toString', /unknown task 'toString'/], [undefined, /unknown task 'undefined'/],
    ['translation_en', /unknown task 'translation_en'/],
    ['image-classification', /'image-classification' is about images/], ['asr', /'asr' is about sound/],
  ]) {
    const { message } = await rejects(pipeline(task, bert()), 'invalid_argument', pattern);
    for (const known of [...TASKS, 'sentiment-analysis', 'ner', 'embeddings', 'translation_xx_to_yy'])
      assert.ok(message.includes(known), known);
  }
});

test('a model is named by the caller, and can do the task', async () => {
  await rejects(pipeline('ner'), 'invalid_argument', /no model given; 'ner' has no default/);
  await rejects(pipeline('ner', null), 'invalid_argument', /no model/);
  await rejects(pipeline('ner', bert()), 'invalid_argument', /bert is not made for token-classification; its tasks: fill-mask/);
  await rejects(pipeline('feature-extraction', marian()), 'invalid_argument', /marian is not made for feature-extraction/);
  const bare = changed(bert(), { 'tokenizer.json': null, 'tokenizer_config.json': null });
  await rejects(pipeline('fill-mask', bare), 'invalid_argument', /no tokenizer/);
});

test('an option that there is none of is refused with those that there are', async (t) => {
  const { message } = await rejects(pipeline('fill-mask', bert(), { session_options: {} }), 'invalid_argument', /session_options/);
  for (const known of ['progress_callback', 'dtype', 'device', 'revision', 'local_files_only', 'threads'])
    assert.ok(message.includes(known), known);
  await rejects(pipeline('fill-mask', bert(), 7), 'invalid_argument', /options/);
  for (const [task, files, args, option, known] of [
    ['text-classification', classifier(['a']), ['a'], 'topK', 'top_k'],
    ['feature-extraction', bert(), ['a'], 'pool', 'pooling'],
    ['fill-mask', bert(), ['[MASK]'], 'k', 'targets'],
    ['text-generation', llama(), ['a'], 'num_beam_groups', 'num_beams'],
    ['translation', marian(), ['a'], 'from', 'src_lang'],
  ]) {
    const pipe = await opened(t, task, files);
    const error = await rejects(pipe(...args, { [option]: 1 }), 'invalid_argument', new RegExp(`${task}: unknown option '${option}'`));
    assert.ok(error.message.includes(known));
    assert.equal(error.details.option, option);
  }
});

test('weights are kept as dtype says, and null is not given', async (t) => {
  const sizes = new Set();
  for (const [theirs, ours] of [['fp32', 'f32'], ['fp16', 'f16'], ['q8', 'int8'], ['q4', 'int4'], ['auto', 'auto'], [null, undefined]]) {
    const { model: { info } } = await opened(t, 'text-generation', TALES, { dtype: theirs, device: 'cpu', revision: 'main' });
    const model = await loadModel(TALES, { dtype: ours });
    assert.deepEqual([info.dtype, info.bytes], [model.info.dtype, model.info.bytes], theirs);
    sizes.add(info.bytes);
    model.dispose();
  }
  assert.equal(sizes.size, 3); // rows of this model are too short for int4, and become int8
  await rejects(pipeline('fill-mask', bert(), { dtype: 'f32' }), 'invalid_argument', /dtype: "f32" found, one of auto, fp32/);
  await rejects(pipeline('fill-mask', bert(), { dtype: { model: 'q4' } }), 'invalid_argument', /dtype/);
  await rejects(pipeline('fill-mask', bert(), { device: 'cuda' }), 'invalid_argument', /device: "cuda" found/);
});

test('a repository has its revision in its name or in the option, and offline nothing is fetched', async () => {
  const where = async (name, revision) => {
    const error = await pipeline('fill-mask', name, { revision, local_files_only: true }).catch((thrown) => thrown);
    assert.equal(error.code, 'network_error', error.message);
    return error.message;
  };
  assert.match(await where('hf:a/b', 'v2'), /\/resolve\/v2\//);
  assert.match(await where('hf:a/b@v1', 'v2'), /\/resolve\/v1\//);
  assert.match(await where('hf:a/b'), /\/resolve\/main\//);
});

test('progress_callback hears of each file, and at last that all is ready', async (t) => {
  const events = [];
  await opened(t, 'ner', tagger(['O', 'X'], { fox: [0.1, 0.9] }), { progress_callback: (event) => events.push(event) });
  assert.deepEqual(events.at(-1), { status: 'ready', task: 'token-classification', model: 'files' });
  const weights = events.filter(({ file }) => file === 'model.safetensors');
  assert.deepEqual([...new Set(weights.map(({ status }) => status))], ['initiate', 'download', 'progress', 'done']);
  const { progress, loaded, total, name } = weights.findLast(({ status }) => status === 'progress');
  assert.deepEqual([progress, loaded, name], [100, total, 'files']);
});

test('a TextStreamer writes the text that is made, with its prompt or without', async (t) => {
  const pipe = await opened(t, 'text-generation', llama());
  const run = async (prompt, options) => {
    const pieces = [], tokens = [];
    const streamer = new TextStreamer(pipe.tokenizer, {
      ...options, callback_function: (text) => pieces.push(text), token_callback_function: (ids) => tokens.push(...ids),
    });
    const [{ generated_text }] = await pipe(prompt, { max_new_tokens: 6, streamer });
    return { text: pieces.join(''), tokens, generated_text, pieces };
  };
  const whole = await run('hello');
  assert.equal(whole.text, whole.generated_text);
  assert.ok(whole.pieces.length > 1);
  const { ids } = pipe.tokenizer.encode('hello');
  assert.deepEqual(whole.tokens.slice(0, ids.length), ids.map(BigInt));
  const made = await run('hello', { skip_prompt: true });
  assert.equal(made.text, made.generated_text.slice('hello'.length));
  assert.deepEqual(made.tokens, whole.tokens.slice(ids.length));
  const chat = await run([{ role: 'user', content: 'hello' }], { skip_prompt: true });
  assert.equal(chat.text, chat.generated_text.at(-1).content);
  assert.match((await run('hello', { skip_special_tokens: false })).text, /^<s>hello/);
});

test('any object with put() and end() hears of a generation, and its errors end it', async (t) => {
  const pipe = await opened(t, 'text2text-generation', marian());
  const heard = [];
  const streamer = { put: ([ids]) => heard.push(ids.map(Number)), end: () => heard.push('end') };
  const [{ generated_text }] = await pipe('I love cats.', { streamer, num_beams: 1 });
  assert.deepEqual([heard[0], heard.at(-1)], [[], 'end']);
  assert.equal(pipe.tokenizer.decode(heard.slice(1, -1).flat()), generated_text);
  const failing = { ...streamer, put: () => { throw new RangeError('full'); } };
  await assert.rejects(pipe('I love cats.', { streamer: failing }), RangeError);
  assert.deepEqual(await pipe('I love cats.', { num_beams: 1 }), [{ generated_text }]);
});

test('a streamer takes one sequence', async (t) => {
  const pipe = await opened(t, 'text-generation', llama());
  const streamer = new TextStreamer(pipe.tokenizer, { callback_function: () => undefined });
  await rejects(pipe(['a', 'b'], { streamer }), 'invalid_argument', /streamer: 2 sequences/);
  await rejects(pipe('a', { streamer, num_beams: 2, num_return_sequences: 2 }), 'invalid_argument', /streamer: 2 sequences/);
  throws(() => streamer.put([[1n], [2n]]), 'invalid_argument', /2 sequences/);
  throws(() => new TextStreamer(pipe.tokenizer, { skipPrompt: true }), 'invalid_argument', /skip_prompt/);
});

test('a signal ends what is under way', async (t) => {
  const signal = AbortSignal.abort();
  await rejects(pipeline('fill-mask', bert(), { signal }), 'aborted');
  const mask = await opened(t, 'fill-mask', bert()), text = await opened(t, 'text-generation', llama());
  await rejects(mask('[MASK]', { signal }), 'aborted');
  await rejects(text('a', { signal }), 'aborted');
  const features = await opened(t, 'feature-extraction', bert());
  for (const pooling of ['none', 'mean']) await rejects(features('a', { signal, pooling }), 'aborted');
});
