import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTokenizer } from 'webformer';
import { bert, llama } from '../fixtures/make_models.mjs';
import { changed, range, rejects, throws } from './support.mjs';

const wordpiece = await loadTokenizer(bert());
const bytes = await loadTokenizer(llama());

test('a text becomes ids, tokens, offsets and masks', () => {
  assert.deepEqual(
    { ...wordpiece.encode('The foxs, walking') },
    {
      ids: [2, 5, 6, 14, 13, 16, 15, 3],
      tokens: ['[CLS]', 'the', 'fox', '##s', ',', 'walk', '##ing', '[SEP]'],
      offsets: [
        [0, 0],
        [0, 3],
        [4, 7],
        [7, 8],
        [8, 9],
        [10, 14],
        [14, 17],
        [0, 0],
      ],
      typeIds: [0, 0, 0, 0, 0, 0, 0, 0],
      attentionMask: [1, 1, 1, 1, 1, 1, 1, 1],
      specialMask: [1, 0, 0, 0, 0, 0, 0, 1],
      wordIds: [null, 0, 1, 1, 2, 3, 3, null],
      overflow: [],
    },
  );
  assert.deepEqual(wordpiece.encode('the', { addSpecialTokens: false }).ids, [5]);
  assert.equal(wordpiece.kind, 'wordpiece');
  assert.equal(wordpiece.vocabSize, 20);
  assert.equal(wordpiece.special['[MASK]'], 4);
});

test('an encoding can be copied, spread and written as JSON', () => {
  const encoding = wordpiece.encode('the fox');
  assert.deepEqual(structuredClone(encoding), { ...encoding });
  assert.deepEqual(JSON.parse(JSON.stringify(encoding)).ids, [2, 5, 6, 3]);
  assert.equal(encoding.ids, encoding.ids, 'made once');
});

test('a pair has segments, and offsets in its own text', () => {
  const { ids, typeIds, offsets } = wordpiece.encode('the fox', { pair: 'ran' });
  assert.deepEqual(
    { ids, typeIds, offsets },
    {
      ids: [2, 5, 6, 3, 11],
      typeIds: [0, 0, 0, 0, 1],
      offsets: [
        [0, 0],
        [0, 3],
        [4, 7],
        [0, 0],
        [0, 3],
      ],
    },
  );
});

test('a batch is padded to its longest, and cut with what is left over', () => {
  const padded = wordpiece.encodeBatch(['the', 'the fox ran', { text: 'a', pair: 'mouse' }], { padding: { longest: true } });
  assert.deepEqual(
    padded.map(({ ids }) => ids.length),
    [5, 5, 5],
  );
  assert.deepEqual(padded[0].attentionMask, [1, 1, 1, 0, 0]);
  const { ids, overflow } = wordpiece.encode('the fox saw the grapes', { truncation: { maxLength: 4, stride: 1 } });
  assert.deepEqual(
    [ids, ...overflow.map((part) => part.ids)],
    [
      [2, 5, 6, 3],
      [2, 6, 7, 3],
      [2, 7, 5, 3],
      [2, 5, 8, 3],
    ],
  );
  assert.deepEqual(wordpiece.encodeBatch([]), []);
});

test('offsets count UTF-16 units', () => {
  const text = 'é🙂x';
  const { offsets } = bytes.encode(text, { addSpecialTokens: false });
  assert.deepEqual(offsets, [
    [0, 1],
    [0, 1],
    [1, 3],
    [1, 3],
    [1, 3],
    [1, 3],
    [3, 4],
  ]);
});

test('every text comes back, but for lone surrogates, which become U+FFFD', () => {
  for (const text of [
    '',
    'Zoë 🙂',
    '\0a\0',
    '\ufffd',
    '\ufeffBOM at the start of a longer text',
    'a\r\n\u2028\u00a0',
    '👩‍👩‍👧',
    'e' + '\u0301'.repeat(500),
    '\u202eabc',
  ])
    assert.equal(bytes.decode(bytes.encode(text).ids), text);
  for (const [text, want] of [
    ['\ud800a', '\ufffda'],
    ['\udc00', '\ufffd'],
    ['\udc00\ud800', '\ufffd\ufffd'],
    ['a\ud83d', 'a\ufffd'],
  ])
    assert.equal(bytes.decode(bytes.encode(text).ids), want);
  assert.equal(bytes.decode([]), '');
});

test('a stream gives the same text as decode, in whole characters', () => {
  const text = 'Zoë 🙂 \ufffd 東京',
    { ids } = bytes.encode(text);
  for (const step of [1, 2, 3, 5]) {
    const stream = bytes.decodeStream();
    const pieces = range(Math.ceil(ids.length / step)).map((i) => stream.push(ids.slice(i * step, (i + 1) * step)));
    assert.equal(pieces.join('') + stream.end(), text);
    assert.ok(pieces.every((piece) => !/\p{Surrogate}/u.test(piece)));
  }
  const stream = bytes.decodeStream();
  assert.equal(stream.push(bytes.encode('🙂', { addSpecialTokens: false }).ids.slice(0, 2)), '');
  assert.equal(stream.end(), '\ufffd');
});

test('special tokens are skipped or not', () => {
  const { ids } = wordpiece.encode('the fox');
  assert.equal(wordpiece.decode(ids), 'the fox');
  assert.equal(wordpiece.decode(ids, { skipSpecialTokens: false }), '[CLS] the fox [SEP]');
});

test('tokens and ids are looked up', () => {
  assert.equal(wordpiece.idOf('fox'), 6);
  assert.equal(wordpiece.idOf('wolf'), undefined);
  assert.equal(wordpiece.tokenOf(6), 'fox');
  assert.equal(wordpiece.tokenOf(999), undefined);
});

test('added tokens are found in the text', async () => {
  const tokenizer = await loadTokenizer(bert());
  assert.equal(tokenizer.addTokens([{ content: 'wolf' }, { content: '<x>', special: true }, { content: 'fox' }]), 3);
  assert.equal(tokenizer.vocabSize, 22);
  assert.deepEqual(tokenizer.encode('the wolf <x>', { addSpecialTokens: false }).tokens, ['the', 'wolf', '<x>']);
  assert.equal(tokenizer.special['<x>'], 21);
  assert.equal(tokenizer.decode([5, 20, 21]), 'the wolf');
  throws(() => tokenizer.addTokens([{ content: '' }]), 'invalid_argument');
  throws(() => tokenizer.addTokens([{ content: 'a', lStrip: true }]), 'invalid_argument', /'lStrip'; did you mean 'lstrip'/);
});

test('what was saved loads as the same tokenizer', async () => {
  for (const tokenizer of [wordpiece, bytes]) {
    const again = await loadTokenizer(new Map([['tokenizer.json', new TextEncoder().encode(tokenizer.save())]]));
    assert.deepEqual({ ...again.encode('the Foxs é🙂') }, { ...tokenizer.encode('the Foxs é🙂') });
    assert.equal(again.save(), tokenizer.save());
  }
});

test('a trace shows how words become pieces', () => {
  const { normalized, words, steps } = wordpiece.trace('Foxs walking');
  assert.equal(normalized, 'foxs walking');
  assert.deepEqual(words, ['foxs', 'walking']);
  assert.deepEqual(steps.at(-1).pieces, ['walk', '##ing']);
  assert.equal(steps.at(-1).word, 'walking');
});

test('a chat template is rendered, with limits', async () => {
  const messages = [{ role: 'user', content: 'hi' }];
  assert.equal(bytes.applyChatTemplate(messages), '<user>hi</s>');
  assert.equal(bytes.applyChatTemplate(messages, { addGenerationPrompt: true }), '<user>hi</s><assistant>');
  throws(() => wordpiece.applyChatTemplate(messages), 'invalid_argument', /no chat template/);
  const withTemplate = (template) =>
    loadTokenizer(changed(llama(), { 'tokenizer_config.json': JSON.stringify({ chat_template: template }) }));
  const hostile = [
    ['{% for i in range(9000) %}{% for j in range(9000) %}x{% endfor %}{% endfor %}', /steps/],
    ['{% for i in range(1000000000) %}{% endfor %}', /range/],
    ['{% set ns = namespace(x="ab") %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}', /longer/],
    ['{% if %}', /chat_template/],
  ];
  for (const [template, pattern] of hostile) {
    const tokenizer = await withTemplate(template);
    throws(() => tokenizer.applyChatTemplate(messages), 'invalid_file', pattern);
  }
});

test('arguments of the wrong kind are refused by name', () => {
  throws(() => wordpiece.encode(5), 'invalid_argument', /text: 5/);
  throws(() => wordpiece.encode('a', { truncation: { maxLength: -1 } }), 'invalid_argument', /truncation\.maxLength: -1/);
  throws(() => wordpiece.encode('a', { truncation: {} }), 'invalid_argument', /maxLength/);
  throws(() => wordpiece.encode('a', { truncation: { max_length: 3 } }), 'invalid_argument', /did you mean 'maxLength'/);
  throws(() => wordpiece.encode('a', { padding: { direction: 'up' } }), 'invalid_argument', /'right', 'left'/);
  throws(() => wordpiece.encode('a', { truncation: { maxLength: 1 } }), 'invalid_argument');
  throws(() => wordpiece.encodeBatch('a'), 'invalid_argument', /texts/);
  throws(() => wordpiece.encodeBatch(['a', 3]), 'invalid_argument', /texts\[1\]/);
  for (const ids of [[-1], [1.5], [NaN], [1n], ['1'], 'ids', new Float32Array(1)])
    throws(() => wordpiece.decode(ids), 'invalid_argument', /ids/);
  throws(() => wordpiece.tokenOf(-1), 'invalid_argument');
  throws(() => wordpiece.idOf(3), 'invalid_argument');
});

test('a file that is no tokenizer names its fault', async () => {
  const json = (change) =>
    new Map([
      [
        'tokenizer.json',
        new TextEncoder().encode(JSON.stringify({ ...JSON.parse(Buffer.from(bert().get('tokenizer.json'))), ...change })),
      ],
    ]);
  await rejects(loadTokenizer(json({ model: { type: 'Magic' } })), 'unsupported_model', /Magic/);
  await rejects(loadTokenizer(json({ normalizer: { type: 'Nope' } })), 'unsupported_model', /Nope/);
  await rejects(loadTokenizer(json({ model: {} })), 'invalid_file', /tokenizer\.json/);
});
