// Languages, blank texts, and texts that are more than the model takes: their translations are those of their sentences, joined.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manyLanguages, marian, summarizer } from '../fixtures/make_models.mjs';
import { opened, rejects } from './support.mjs';

const SENTENCES = [
  'I love cats.', 'You love you.', 'I love you, cats, I love you.', 'Cats love cats.',
  'You love cats.', 'Cats.', 'I love I.', 'Love you, you cats.',
];
const SPACES = [' ', '\n\n', ' ', '  ', ' ', ' ', ' '];
const LONG = SENTENCES.map((sentence, i) => sentence + (SPACES[i] ?? '')).join('');
const options = { maxNewTokens: 6 };
const joined = (texts) => texts.reduce((all, text, i) => all + SPACES[i - 1] + text);

test('a long text is translated sentence by sentence, with the spaces that were between them', async (t) => {
  const model = await opened(t, marian());
  assert.ok(model.tokenizer.encode(LONG).ids.length > model.info.contextLength);
  const parts = await model.translate(SENTENCES, options).result();
  const { texts, sequences, finishReason, usage } = await model.translate(LONG, options).result();
  assert.deepEqual(texts, [joined(parts.texts)]);
  assert.deepEqual(sequences, [parts.sequences.flat()]);
  assert.deepEqual(finishReason, [parts.finishReason.includes('length') ? 'length' : 'eos']);
  assert.equal(usage.newTokens, parts.usage.newTokens);
  assert.equal(usage.promptTokens, parts.usage.promptTokens);
});

test('a model of several languages names them as from and to take them, and others name none', async (t) => {
  const { info } = await opened(t, manyLanguages());
  assert.deepEqual(info.languages, ['eng_Latn', 'fra_Latn']);
  assert.equal((await opened(t, marian())).info.languages, undefined);
  const underscored = await opened(t, manyLanguages(['__en__', '$A', '</s>'], ['__en__', '__fr__']));
  assert.deepEqual(underscored.info.languages, ['en', 'fr']);
  for (const to of underscored.info.languages) await underscored.translate('I love you.', { ...options, from: 'en', to }).result();
});

test('among short texts, only the long one is taken apart', async (t) => {
  const model = await opened(t, marian());
  const short = await model.translate(['I love you.', 'Cats.'], options).result();
  const { texts, sequences } = await model.translate(['I love you.', LONG, 'Cats.'], options).result();
  assert.deepEqual([texts[0], texts[2]], short.texts);
  assert.deepEqual([sequences[0], sequences[2]], short.sequences);
  assert.equal(texts[1], (await model.translate(LONG, options).result()).texts[0]);
});

for (const more of [{}, { numBeams: 3 }, { numBeams: 3, numReturnSequences: 2, returnScores: true }]) {
  test(`the items of a long text come in its order, and are its result: ${JSON.stringify(more)}`, async (t) => {
    const model = await opened(t, marian());
    const generation = model.translate([LONG, 'Cats.'], { ...options, ...more });
    const texts = [], lasts = [];
    for await (const { index, text, last } of generation) {
      assert.ok(!lasts.includes(index), 'nothing comes after the last item');
      texts[index] = (texts[index] ?? '') + text;
      if (last) lasts.push(index);
    }
    const result = await generation.result();
    assert.deepEqual(texts, result.texts);
    assert.equal(lasts.length, result.texts.length);
    const parts = await model.translate(SENTENCES, { ...options, ...more }).result();
    const copies = more.numReturnSequences ?? 1;
    for (let copy = 0; copy < copies; copy++) {
      const ofCopy = (list) => list.filter((_, i) => i % copies === copy);
      assert.equal(result.texts[copy], joined(ofCopy(parts.texts)));
      if (result.scores) assert.ok(Math.abs(result.scores[copy] - ofCopy(parts.scores).reduce((a, b) => a + b)) < 1e-4);
    }
  });
}

test('a sentence that is too long by itself is taken apart between words, and a word between characters', async (t) => {
  const model = await opened(t, marian());
  const { usage, texts } = await model.translate('cats '.repeat(70), options).result();
  assert.ok(usage.promptTokens > 70 && usage.promptTokens <= 80); // no word is lost; each part has its end token
  assert.equal(texts.length, 1);
});

test('what cannot be joined is refused for long texts only', async (t) => {
  const model = await opened(t, marian());
  for (const one of [{ attentions: true }, { stop: ['x'] }, { returnBeams: true }]) {
    await model.translate('Cats.', { ...options, ...one }).result();
    await rejects(model.translate(LONG, { ...options, ...one }).result(), 'invalid_argument', new RegExp(Object.keys(one)[0]));
  }
});

for (const [where, around, ids] of [
  ['before the text', ['eng_Latn', '$A', '</s>'], [13, 2, 3, 5, 0]],
  ['after the end token', ['$A', '</s>', 'eng_Latn'], [2, 3, 5, 0, 13]],
]) {
  test(`the language of a text is the code that the tokenizer puts ${where}`, async (t) => {
    const model = await opened(t, manyLanguages(around));
    const given = await model.generate([ids], { ...options, forcedBosTokenId: 12 }).result();
    const { sequences } = await model.translate('I love cats', { ...options, from: 'fra_Latn', to: 'eng_Latn' }).result();
    assert.deepEqual(sequences, given.sequences);
    assert.deepEqual(sequences[0].slice(0, 2), [11, 12]);
  });
}

test('each sentence of a long text has its language', async (t) => {
  const model = await opened(t, manyLanguages());
  const languages = { ...options, from: 'fra_Latn', to: 'eng_Latn' };
  const parts = await model.translate(SENTENCES, languages).result();
  const { texts, sequences } = await model.translate(LONG, languages).result();
  assert.deepEqual(texts, [joined(parts.texts)]);
  assert.deepEqual(sequences, [parts.sequences.flat()]);
});

test('a language that the model does not have is refused, and those that it has are named', async (t) => {
  const model = await opened(t, manyLanguages());
  await rejects(model.translate('I', { to: 'deu_Latn' }).result(), 'invalid_argument', /to: 'deu_Latn' .* eng_Latn, fra_Latn/);
  await rejects(model.translate('I', { from: '</s>' }).result(), 'invalid_argument', /from/);
  await rejects(model.translate('I', { from: 7 }).result(), 'invalid_argument', /from/);
});

/** Nothing to read: white space, what is never seen, and control characters. */
const BLANK = ['', ' ', '\n', ' \t\r\n ', '\u00a0\u3000', '\u200b', '\ufeff \u2028', '\0'];

for (const [what, open, method, others] of [
  ['translate', marian, 'translate', {}],
  ['translate with beams', marian, 'translate', { numBeams: 3, numReturnSequences: 2, returnScores: true }],
  ['translate with language codes', manyLanguages, 'translate', { from: 'fra_Latn', to: 'eng_Latn' }],
  ['summarize', summarizer, 'summarize', {}],
  ['translate with attentions', marian, 'translate', { attentions: true, stop: ['x'] }],
]) {
  test(`a blank text stays as it is, and changes no other: ${what}`, async (t) => {
    const model = await opened(t, open());
    const given = { ...options, ...others }, copies = others.numReturnSequences ?? 1;
    const alone = await model[method](['I love you.', 'Cats.'], given).result();
    for (const blank of BLANK) {
      const generation = model[method](blank, given);
      const { texts, sequences, finishReason, usage } = await generation.result();
      assert.deepEqual(texts, Array(copies).fill(blank));
      assert.deepEqual([sequences.flat(), finishReason[0], usage.newTokens, usage.promptTokens], [[], 'eos', 0, 0]);
      const pieces = Array(copies).fill('');
      for await (const { index, text } of generation) pieces[index] += text;
      assert.deepEqual(pieces, texts);

      const mixed = await model[method]([blank, 'I love you.', blank, 'Cats.'], given).result();
      const [one, two] = [alone.texts.slice(0, copies), alone.texts.slice(copies)];
      assert.deepEqual(mixed.texts, [...texts, ...one, ...texts, ...two]);
      assert.deepEqual(mixed.sequences.filter(({ length }) => length > 0), alone.sequences);
      assert.equal(mixed.usage.newTokens, alone.usage.newTokens);
      if (others.attentions) assert.deepEqual([mixed.crossAttentions[1], mixed.crossAttentions[0]], [alone.crossAttentions[0], []]);
    }
    await rejects(model[method]('', { ...given, temperature: -1 }).result(), 'invalid_argument', /temperature/);
  });
}

test('paragraphs are translated one by one, and what parts them is kept', async (t) => {
  const model = await opened(t, marian());
  const { texts: [cats, you, love] } = await model.translate(['Cats.', 'I love you.', 'Love\nyou.'], options).result();
  for (const space of ['\n\n', '\n \n  ', '\r\n\r\n', '\n\n\n'])
    assert.equal(await model.translate(`  Cats.${space}I love you.${space}Love\nyou.\n`, options).text(), [cats, you, love].join(space));
  const whole = await model.translate('Cats.\n\nI love you.', { ...options, attentions: true }).result();
  assert.equal(whole.sequences.length, 1);
});

test('a long text keeps all the white space between its parts, and invents nothing of what stands before it', async (t) => {
  const model = await opened(t, marian());
  const sentences = Array.from({ length: 12 }, () => 'Cats love you.');
  const [one] = (await model.translate(sentences[0], options).result()).texts;
  const spaces = ['\n\n', '\n   ', '\r\n\r\n', ' ', '\n\n\u00a0', '\n', '  '];
  const between = (i) => spaces[i % spaces.length];
  const written = (list, start) => list.reduce((all, sentence, i) => all + between(i) + sentence, start).slice(between(0).length);
  const long = `\n\n${written(sentences, '')}\n`;
  assert.equal(await model.translate(long, options).text(), written(sentences.map(() => one), ''));
});
