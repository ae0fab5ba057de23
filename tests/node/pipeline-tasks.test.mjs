// What each pipeline gives: the shapes of transformers.js, filled with what the direct API says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from 'webformer';
import { pipeline } from 'webformer/pipeline';
import { answerer, classifier, tagger } from '../fixtures/make_encoders.mjs';
import { bert, llama, manyLanguages, marian, summarizer } from '../fixtures/make_models.mjs';
import { rejects } from './support.mjs';

/** A pipeline and the model of the same files by the direct API, both disposed when the test ends. */
async function opened(t, task, files) {
  const pipe = await pipeline(task, files), model = await loadModel(files);
  t.after(() => {
    model.dispose();
    return pipe.dispose();
  });
  return { pipe, model };
}

test('text-classification: one label a text in one list, several in a list a text', async (t) => {
  const { pipe, model } = await opened(t, 'sentiment-analysis', classifier(['negative', 'neutral', 'positive']));
  const texts = ['the fox', 'a mouse ran'];
  const [a, b] = await model.classify(texts, { topK: null });
  assert.deepEqual(await pipe('the fox'), a.slice(0, 1));
  assert.deepEqual(await pipe(texts), [a[0], b[0]]);
  assert.deepEqual(await pipe('the fox', { top_k: 2 }), a.slice(0, 2));
  assert.deepEqual(await pipe(texts, { top_k: null }), [a, b]);
  assert.deepEqual(await pipe(texts, { topk: 2 }), [a.slice(0, 2), b.slice(0, 2)]);
  assert.deepEqual(await pipe(['the fox'], { top_k: 3 }), [a]);
});

test('zero-shot-classification: labels as a list, or with commas between them', async (t) => {
  const { pipe, model } = await opened(t, 'zero-shot-classification', classifier(['contradiction', 'neutral', 'entailment']));
  const labels = ['fox', 'mouse'];
  const as = (sequence, ranked) => ({ sequence, labels: ranked.map(({ label }) => label), scores: ranked.map(({ score }) => score) });
  const one = as('a fox', await model.zeroShot('a fox', labels));
  assert.deepEqual(await pipe('a fox', labels), one);
  assert.deepEqual(await pipe(['a fox', 'a'], 'fox, mouse'), [one, as('a', await model.zeroShot('a', labels))]);
  const options = { template: 'i love {}', multiLabel: true };
  assert.deepEqual(await pipe('a fox', labels, { hypothesis_template: options.template, multi_label: true }),
    as('a fox', await model.zeroShot('a fox', labels, options)));
});

test('token-classification: the place of each token, or entities where an aggregation is asked for', async (t) => {
  const outside = [0.8, 0.1, 0.1], inside = [0.2, 0.1, 0.7];
  const files = tagger(['O', 'B-PER', 'I-PER'], { the: outside, saw: outside, fox: [0.1, 0.8, 0.1], walk: inside, '##ing': inside });
  const { pipe, model } = await opened(t, 'ner', files);
  const text = 'The fox walking saw';
  const [tags] = await model.tagTokens(text), [all] = await model.tagTokens(text, { ignoreLabels: [] });
  const places = ({ start }) => model.tokenizer.encode(text).offsets.findIndex(([from, to]) => from === start && to > 0);
  const token = (tag) => ({ entity: tag.label, score: tag.score, index: places(tag), word: tag.text, start: tag.start, end: tag.end });
  assert.deepEqual(tags.map((tag) => token(tag).index), [2, 3, 4]);
  assert.deepEqual(await pipe(text), tags.map(token));
  assert.deepEqual(await pipe([text, 'the'], { ignore_labels: [] }), [all.map(token), [{ ...token(all[0]), word: 'the', end: 3 }]]);
  const [[group]] = await model.tagTokens(text, { aggregation: 'first' });
  assert.deepEqual(await pipe(text, { aggregation_strategy: 'first' }),
    [{ entity_group: 'PER', score: group.score, word: 'fox walking', start: 4, end: 15 }]);
});

test('token-classification: a word that the vocabulary lacks is tagged, and is its text', async (t) => {
  const { pipe } = await opened(t, 'ner', tagger(['X', 'Y'], { fox: [0.9, 0.1] }));
  assert.deepEqual((await pipe('fox €')).map(({ word, index }) => [word, index]), [['fox', 1], ['€', 2]]);
});

test('question-answering: an answer, a list of them, or one of either for each question', async (t) => {
  const { pipe, model } = await opened(t, 'question-answering', answerer({ fox: [8, 2], mouse: [3, 9] }));
  const question = 'a', context = 'the fox saw a mouse';
  const two = (await model.answer({ question, context }, { topK: 2 })).map(({ text: answer, ...rest }) => ({ answer, ...rest }));
  const [{ text: answer, ...rest }] = await model.answer({ question, context });
  const one = { answer, ...rest };
  assert.deepEqual(await pipe(question, context), one);
  assert.deepEqual(await pipe(question, context, { top_k: 2 }), two);
  assert.deepEqual(await pipe([question, question], [context, context]), [one, one]);
  assert.deepEqual(await pipe([question], [context], { topk: 2 }), [two]);
  await rejects(pipe([question], context), 'invalid_argument', /a context for each question/);
  await rejects(pipe([question, question], [context]), 'invalid_argument', /2 questions and 1 contexts/);
});

test('fill-mask: words for the first mask of each text', async (t) => {
  const { pipe, model } = await opened(t, 'fill-mask', bert());
  const text = 'the [MASK] ran';
  const fills = async (of, options) => {
    const [first] = await model.fillMask(of, options);
    return first.map(({ id: token, token: token_str, score, text: sequence }) => ({ score, token, token_str, sequence }));
  };
  assert.deepEqual(await pipe(text), await fills(text));
  assert.equal((await pipe(text)).length, 5);
  const two = '[MASK] [MASK]';
  assert.deepEqual(await pipe([text, two], { top_k: 1 }), [await fills(text, { topK: 1 }), await fills(two, { topK: 1 })]);
  assert.deepEqual(await pipe(text, { targets: ['fox'] }), await fills(text, { targets: ['fox'] }));
  await rejects(pipe('the fox'), 'invalid_argument', /\[MASK\]/);
});

test('feature-extraction: the last hidden states, or a vector a text', async (t) => {
  const { pipe, model } = await opened(t, 'feature-extraction', bert());
  const texts = ['the fox', 'a mouse ran, ran'];
  const raw = await pipe(texts);
  const lengths = model.tokenizer.encodeBatch(texts).map(({ ids }) => ids.length);
  assert.deepEqual([raw.type, raw.dims, raw.size], ['float32', [2, lengths[1], model.info.width], raw.data.length]);
  const rows = raw.tolist();
  for (const [i, text] of texts.entries()) {
    const alone = await pipe(text);
    assert.deepEqual(alone.dims, [1, lengths[i], model.info.width]);
    alone.tolist()[0].forEach((token, at) => token.forEach((value, c) => assert.ok(Math.abs(value - rows[i][at][c]) < 1e-5)));
  }
  assert.deepEqual([...(await pipe('the fox')).data],
    [...(await model.forward({ inputIds: [model.tokenizer.encode('the fox').ids] })).lastHiddenState.data]);
  for (const vector of (await pipe('the fox', { normalize: true })).tolist()[0]) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
  for (const [pooling, here] of [['mean', 'mean'], ['cls', 'cls'], ['first_token', 'cls'], ['last_token', 'last'], ['eos', 'last']]) {
    for (const normalize of [undefined, true]) {
      const { data, shape } = await model.embed(texts, { pooling: here, normalize: normalize ?? false });
      const got = await pipe(texts, { pooling, normalize });
      assert.deepEqual([got.dims, got.data], [shape, data]);
    }
  }
});

test('feature-extraction: signs in bits, the highest first; 128 less where they are signed', async (t) => {
  const { pipe, model } = await opened(t, 'feature-extraction', bert());
  const { data } = await model.embed('the fox', { pooling: 'mean', normalize: false });
  const bits = [...data].map((value) => (value > 0 ? '1' : '0')).join('');
  const bytes = bits.match(/.{8}/g).map((byte) => parseInt(byte, 2));
  const unsigned = await pipe('the fox', { pooling: 'mean', quantize: true, precision: 'ubinary' });
  assert.deepEqual([unsigned.type, unsigned.dims, unsigned.data], ['uint8', [1, 2], Uint8Array.from(bytes)]);
  const signed = await pipe('the fox', { pooling: 'mean', quantize: true });
  assert.deepEqual([signed.type, signed.tolist()], ['int8', [bytes.map((byte) => byte - 128)]]);
  await rejects(pipe('the fox', { quantize: true }), 'invalid_argument', /quantize/);
  await rejects(pipe('the fox', { pooling: 'max' }), 'invalid_argument', /pooling.*last_token/);
  await rejects(pipe('the fox', { precision: 'int8' }), 'invalid_argument', /precision/);
});

for (const [task, key, make, ask] of [
  ['text2text-generation', 'generated_text', marian, (model, texts, options) => model.generate(texts, options)],
  ['summarization', 'summary_text', summarizer, (model, texts, options) => model.summarize(texts, options)],
  ['translation', 'translation_text', marian, (model, texts, options) => model.translate(texts, options)],
]) {
  test(`${task}: a list of ${key}, for one text too`, async (t) => {
    const { pipe, model } = await opened(t, task, make());
    const want = async (texts, options) => (await ask(model, texts, options).result()).texts.map((text) => ({ [key]: text }));
    assert.deepEqual(await pipe('I love cats.'), await want('I love cats.', {}));
    const texts = ['I love cats.', 'You'];
    assert.deepEqual(await pipe(texts, { max_new_tokens: 4, num_beams: 3, num_return_sequences: 2 }),
      await want(texts, { maxNewTokens: 4, numBeams: 3, numReturnSequences: 2 }));
  });
}

test('text2text-generation: texts begin with what config.json says', async (t) => {
  const files = marian({ config: { prefix: 'you ', task_specific_params: { 'text2text-generation': { prefix: 'love ' } } } });
  const { pipe, model } = await opened(t, 'text2text-generation', files);
  assert.equal((await pipe('cats'))[0].generated_text, await model.generate('you love cats').text());
  assert.notEqual(await model.generate('you love cats').text(), await model.generate('cats').text());
});

test('translation: languages by their options, or by the name of the task', async (t) => {
  const files = manyLanguages();
  const { pipe, model } = await opened(t, 'translation', files);
  const want = [{ translation_text: await model.translate('I love', { from: 'fra_Latn', to: 'eng_Latn' }).text() }];
  assert.deepEqual(await pipe('I love', { src_lang: 'fra_Latn', tgt_lang: 'eng_Latn' }), want);
  const { pipe: named } = await opened(t, 'translation_fra_Latn_to_eng_Latn', files);
  assert.deepEqual(await named('I love'), want);
  await rejects(pipe('I', { tgt_lang: 'deu_Latn' }), 'invalid_argument', /deu_Latn.*eng_Latn, fra_Latn/);
});

test('text-generation: the prompt and what was made, for each prompt and sequence', async (t) => {
  const { pipe, model } = await opened(t, 'text-generation', llama());
  const options = { max_new_tokens: 5, num_beams: 2, num_return_sequences: 2 };
  const { texts } = await model.generate(['one', 'the other'], { maxNewTokens: 5, numBeams: 2, numReturnSequences: 2 }).result();
  const [a, b, c, d] = texts.map((text, i) => ({ generated_text: (i < 2 ? 'one' : 'the other') + text }));
  assert.deepEqual(await pipe('one', options), [a, b]);
  assert.deepEqual(await pipe(['one', 'the other'], options), [[a, b], [c, d]]);
  assert.deepEqual(await pipe('one', { ...options, return_full_text: false }), texts.slice(0, 2).map((text) => ({ generated_text: text })));
  const { ids } = model.tokenizer.encode('one', { addSpecialTokens: false });
  const bare = await model.generate([ids], { maxNewTokens: 5 }).text();
  assert.deepEqual(await pipe('one', { max_new_tokens: 5, add_special_tokens: false }), [{ generated_text: `one${bare}` }]);
});

test('text-generation: a chat goes on with a message of the assistant', async (t) => {
  const { pipe, model } = await opened(t, 'text-generation', llama());
  const hello = [{ role: 'user', content: 'hello' }];
  const more = [...hello, { role: 'assistant', content: 'yes' }, { role: 'user', content: 'no' }];
  const answered = async (chat) => {
    const content = await model.chat(chat, { maxNewTokens: 4 }).text();
    return [{ generated_text: [...chat, { role: 'assistant', content }] }];
  };
  assert.deepEqual(await pipe(hello, { max_new_tokens: 4 }), await answered(hello));
  assert.deepEqual(await pipe([hello, more], { max_new_tokens: 4 }), [await answered(hello), await answered(more)]);
  for (const wrong of [7, [], [hello, 'text'], [{ content: 'hello' }], null])
    await rejects(pipe(wrong), 'invalid_argument', /a text, a chat/);
});

test('an option is refused in the name that it has here', async (t) => {
  const { pipe } = await opened(t, 'translation', marian());
  for (const [name, value] of Object.entries({
    max_new_tokens: -1, num_beams: 0, repetition_penalty: 0, no_repeat_ngram_size: -1, top_p: 2, length_penalty: NaN, do_sample: 3,
    num_return_sequences: 2, stop_strings: [''], temperature: -1, forced_bos_token_id: 999,
  })) {
    const error = await rejects(pipe('I love cats', { [name]: value }), 'invalid_argument', new RegExp(`^${name}: `));
    assert.equal(error.details.option, name);
    assert.doesNotMatch(error.message, /[a-z][A-Z][a-z]/);
  }
});
