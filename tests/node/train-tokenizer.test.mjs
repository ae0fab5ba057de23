import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModel, loadTokenizer, trainTokenizer } from 'webformer';
import { rejects } from './support.mjs';

const LOWEST = ['lowest lower newer wider'];
const mergesOf = (tokenizer) => JSON.parse(tokenizer.save()).model.merges.map((merge) => [merge].flat().join(' '));
const vocabularyOf = (tokenizer) => Array.from({ length: tokenizer.vocabSize }, (_, id) => tokenizer.tokenOf(id));
const reloaded = (tokenizer) => loadTokenizer(new Map([['tokenizer.json', new TextEncoder().encode(tokenizer.save())]]));

test('ties of BPE go to the smaller pair of ids: e r, then l o', async () => {
  const tokenizer = await trainTokenizer('bpe', LOWEST, { vocabSize: 13 });
  assert.deepEqual(mergesOf(tokenizer), ['e r', 'l o', 'w er']);
  assert.deepEqual(vocabularyOf(tokenizer), ['d', 'e', 'i', 'l', 'n', 'o', 'r', 's', 't', 'w', 'er', 'lo', 'wer']);
  assert.deepEqual(tokenizer.encode('lower').tokens, ['lo', 'wer']);
});

test('each kind learns a tokenizer that encodes as its tokenizer.json does', async () => {
  const texts = ['The fox saw the grapes.', 'The fox ran; the grapes hung on the vine.', 'Grapes, said the fox, are sour.'];
  const kinds = {
    word: 'word',
    char: 'char',
    bpe: 'bpe',
    'byte-bpe': 'bpe',
    wordpiece: 'wordpiece',
    unigram: 'unigram',
    'sentencepiece-bpe': 'bpe',
    'sentencepiece-unigram': 'unigram',
  };
  for (const [kind, saved] of Object.entries(kinds)) {
    const vocabSize = kind === 'byte-bpe' ? 280 : kind.startsWith('sentencepiece') ? 32 : 60;
    const tokenizer = await trainTokenizer(kind, texts, { vocabSize });
    assert.ok(tokenizer.vocabSize <= vocabSize, kind);
    const again = await reloaded(tokenizer);
    assert.equal(again.kind, saved, kind);
    for (const text of [...texts, 'the Fox', 'unseen: zebra 東京'])
      assert.deepEqual(again.encode(text).ids, tokenizer.encode(text).ids, `${kind}: ${text}`);
    if (['char', 'byte-bpe', 'unigram', 'sentencepiece-bpe', 'sentencepiece-unigram'].includes(kind))
      assert.equal(tokenizer.decode(tokenizer.encode(texts[0]).ids), texts[0], kind);
  }
});

test('special tokens come first, and the unknown token before them where it is not named', async () => {
  const tokenizer = await trainTokenizer('word', ['a b'], { vocabSize: 9, specialTokens: ['<pad>'], unknownToken: '?!' });
  assert.deepEqual(vocabularyOf(tokenizer), ['?!', '<pad>', 'a', 'b']);
  assert.deepEqual(tokenizer.special, { '?!': 0, '<pad>': 1 });
  assert.deepEqual(tokenizer.encode('b c').ids, [3, 0]);
});

test('stages are those of tokenizer.json, and null is none', async () => {
  const options = { vocabSize: 30, normalizer: { type: 'Lowercase' }, preTokenizer: { type: 'Metaspace' } };
  assert.deepEqual((await trainTokenizer('bpe', ['AB Ab'], options)).encode('aB').tokens, ['▁ab']);
  assert.deepEqual(vocabularyOf(await trainTokenizer('word', ['A b', 'A b'], { vocabSize: 9, preTokenizer: null })), ['<unk>', 'A b']);
});

test('texts come from lists, generators and streams', async () => {
  const train = (texts) => trainTokenizer('word', texts, { vocabSize: 9 });
  const many = Array.from({ length: 5000 }, (_, i) => (i % 3 ? 'b' : 'a b'));
  async function* slowly() {
    for (const text of many) yield text;
  }
  const expected = vocabularyOf(await train(many));
  assert.deepEqual(expected, ['<unk>', 'b', 'a']);
  assert.deepEqual(vocabularyOf(await train(new Set(many.map((text, i) => (i < 2 ? text : 'b'))))), ['<unk>', 'b', 'a']);
  assert.deepEqual(vocabularyOf(await train(slowly())), expected);
  assert.deepEqual(vocabularyOf(await train(ReadableStream.from(many))), expected);
});

test('progress goes to its end', async () => {
  const events = [];
  await trainTokenizer('bpe', LOWEST, { vocabSize: 13, onProgress: (event) => events.push(event) });
  assert.ok(events.length > 0);
  assert.ok(events.every(({ done, total }) => done >= 0 && done <= total));
  assert.equal(events.at(-1).done, events.at(-1).total);
});

test('an abort ends it, while it waits for texts and while it learns', async () => {
  const reason = new Error('enough');
  let closed = 0;
  async function* endless() {
    try {
      yield 'a';
      await new Promise((resolve) => setTimeout(resolve, 200));
      yield 'b';
    } finally {
      closed++;
    }
  }
  const waiting = new AbortController();
  setTimeout(() => waiting.abort(reason), 10);
  await rejects(trainTokenizer('word', endless(), { vocabSize: 9, signal: waiting.signal }), 'aborted');

  const learning = new AbortController();
  const words = Array.from({ length: 20000 }, (_, i) => `${i * 7919}${i * 104729}`);
  const run = trainTokenizer('bpe', words, { vocabSize: 1e6, signal: learning.signal, onProgress: () => learning.abort(reason) });
  await assert.rejects(run, (error) => error.name === 'AbortError' && error.cause === reason);
  await rejects(trainTokenizer('word', ['a'], { vocabSize: 9, signal: AbortSignal.abort() }), 'aborted');
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal(closed, 1, 'the stream was closed');
});

test('what is wrong is refused by name', async () => {
  const wrong = [
    [['bp', LOWEST, { vocabSize: 9 }], /kind: "bp"/],
    [['bpe', 'lower', { vocabSize: 9 }], /texts: "lower" found/],
    [['bpe', ['a', 3], { vocabSize: 9 }], /texts\[1\]: 3 found/],
    [['bpe', LOWEST], /no options/],
    [['bpe', LOWEST, {}], /vocabSize/],
    [['bpe', LOWEST, { vocabSize: 0 }], /vocabSize: 0 found/],
    [['bpe', LOWEST, { vocabSize: 2 ** 40 }], /vocabSize: 1099511627776 found/],
    [['bpe', LOWEST, { vocabsize: 9 }], /did you mean 'vocabSize'/],
    [['bpe', LOWEST, { vocabSize: 9, specialTokens: '<unk>' }], /specialTokens: "<unk>" found/],
    [['bpe', LOWEST, { vocabSize: 9, preTokenizer: 'Whitespace' }], /preTokenizer: "Whitespace" found/],
    [['unigram', LOWEST, { vocabSize: 9, minFrequency: 2 }], /minFrequency: the kind unigram/],
    [['word', [' '], { vocabSize: 9 }], /no words/],
    [['sentencepiece-bpe', LOWEST, { vocabSize: 900 }], /vocabSize: 900 found, at most/],
  ];
  for (const [args, message] of wrong) await rejects(trainTokenizer(...args), 'invalid_argument', message);
  await rejects(trainTokenizer('bpe', LOWEST, { vocabSize: 9, preTokenizer: {} }), 'invalid_argument', /type/);
  await rejects(trainTokenizer('bpe', LOWEST, { vocabSize: 9, preTokenizer: { type: 'Nothing' } }), 'unsupported_model', /Nothing/);
  const thrown = new Error('from the callback');
  const onProgress = () => {
    throw thrown;
  };
  await assert.rejects(trainTokenizer('bpe', LOWEST, { vocabSize: 13, onProgress }), thrown);
});

test('a trained tokenizer goes with a model', async () => {
  const tokenizer = await trainTokenizer('bpe', LOWEST, { vocabSize: 14 });
  const config = { model_type: 'gpt2', vocab_size: 14, n_embd: 8, n_layer: 1, n_head: 2, n_positions: 16 };
  const model = await createModel(config, { tokenizer, seed: 1 });
  assert.deepEqual(model.tokenizer.encode('lower').ids, tokenizer.encode('lower').ids);
  model.dispose();
});
