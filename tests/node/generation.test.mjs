import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bert, llama, marian } from '../fixtures/make_models.mjs';
import { opened, rejects } from './support.mjs';

test('the streamed pieces are the text, and never half a character', async (t) => {
  const model = await opened(t, llama());
  for (const seed of [1, 2, 3]) {
    const generation = model.generate('Zoë 🙂', { maxNewTokens: 60, doSample: true, topK: 0, temperature: 2, seed });
    const pieces = [];
    for await (const { text } of generation) pieces.push(text);
    const { texts, sequences, usage } = await generation.result();
    assert.equal(pieces.join(''), texts[0]);
    assert.equal(await generation.text(), texts[0]);
    for (const piece of pieces) assert.ok(piece.isWellFormed?.() ?? !/\p{Surrogate}/u.test(piece));
    assert.equal(texts[0], model.tokenizer.decode(sequences[0].slice(-usage.newTokens)));
  }
});

test('a seed repeats, an absent one does not', async (t) => {
  const model = await opened(t, llama());
  const draw = (seed) => model.generate('the', { maxNewTokens: 24, doSample: true, topK: 0, temperature: 3, seed }).text();
  assert.equal(await draw(7), await draw(7));
  assert.notEqual(await draw(7), await draw(8));
  assert.notEqual(await draw(undefined), await draw(undefined));
});

test('a prompt may be a text, ids, several of them, or inputs with a mask', async (t) => {
  const model = await opened(t, llama());
  const options = { maxNewTokens: 4 };
  const ids = model.tokenizer.encode('fox').ids;
  const [expected] = (await model.generate('fox', options).result()).sequences;
  assert.deepEqual(expected.slice(0, 4), ids);
  for (const prompt of [ids, Int32Array.from(ids), [ids], ['fox'], { inputIds: [[9, ...ids]], attentionMask: [[0, 1, 1, 1, 1]] }])
    assert.deepEqual((await model.generate(prompt, options).result()).sequences, [expected]);
  const both = (await model.generate(['fox', 'a mouse'], options).result()).sequences;
  assert.deepEqual(both, [expected, (await model.generate('a mouse', options).result()).sequences[0]]);
  await rejects(model.generate([], options).result(), 'invalid_argument', /prompt/);
  await rejects(model.generate(7, options).result(), 'invalid_argument', /prompt/);
  await rejects(model.generate({ inputIds: [[1]], tokenTypeIds: [[0]] }, options).result(), 'invalid_argument', /tokenTypeIds/);
  await rejects(model.generate([1, 2.5], options).result(), 'invalid_argument', /prompt\[1\]: 2\.5/);
});

test('an empty prompt begins with the beginning-of-sequence token', async (t) => {
  const model = await opened(t, llama());
  assert.equal((await model.generate([new Int32Array(0)], { maxNewTokens: 2 }).result()).sequences[0][0], 0);
});

test('options out of their bounds are refused by name', async (t) => {
  const model = await opened(t, llama());
  const wrong = {
    temperature: [NaN, -1, Infinity],
    topK: [-1, 1.5],
    topP: [-0.1, 2, NaN],
    maxNewTokens: [-1, 2 ** 53, '3', null],
    numBeams: [0, 2.5],
    seed: [NaN, -1, 2 ** 53, 3n],
    repetitionPenalty: [0],
    stop: [[''], 3, [1]],
    badWordsIds: [3, [[NaN]]],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values)
      await rejects(model.generate('a', { doSample: true, maxNewTokens: 3, [name]: value }).result(), 'invalid_argument', /\w/);
  }
  await rejects(model.generate('a', { temperature: NaN }).result(), 'invalid_argument', /temperature: NaN found/);
});

test('no more beams than tokens, however many were asked for', async (t) => {
  const model = await opened(t, llama()), { vocabSize } = model.info;
  for (const numBeams of [vocabSize + 1, 1e6, 2 ** 31])
    await rejects(model.generate('a', { numBeams }).result(), 'invalid_argument', new RegExp(`${numBeams} found, 1 to ${vocabSize}`));
});

test('where the settings forbid every token there is an error, not token 0', async (t) => {
  const model = await opened(t, llama());
  const badWordsIds = Array.from({ length: model.info.vocabSize }, (_, id) => [id]);
  // As in transformers, the end is no bad word: only before the least number of tokens is it forbidden, too.
  const { finishReason } = await model.generate('a', { badWordsIds, maxNewTokens: 3 }).result();
  assert.deepEqual(finishReason, ['eos']);
  for (const way of [{}, { doSample: true }, { numBeams: 3 }, { numBeams: 3, doSample: true }]) {
    const options = { badWordsIds, minNewTokens: 2, maxNewTokens: 3, ...way };
    await rejects(model.generate('a', options).result(), 'numeric_error', /forbid every token/);
  }
  assert.equal((await model.generate('a', { minNewTokens: 3, maxNewTokens: 3 }).result()).usage.newTokens, 3);
});

test('a hypothesis of the end alone has a score at every length penalty', async (t) => {
  const model = await opened(t, llama());
  const badWordsIds = Array.from({ length: model.info.vocabSize }, (_, id) => [id]);
  for (const lengthPenalty of [-5, 0, 1, 50]) {
    const options = { badWordsIds, numBeams: 3, lengthPenalty, returnScores: true, maxNewTokens: 5 };
    const { scores, texts } = await model.generate('a', options).result();
    assert.deepEqual(texts, ['']);
    assert.ok(Number.isFinite(scores[0]) && scores[0] < 0, `${scores[0]}`);
  }
});

/** For each option a value out of its bounds, which WebAssembly finds. */
const OUT_OF_BOUNDS = {
  maxNewTokens: -1, maxLength: 1, minNewTokens: -1, minLength: -1, doSample: 'yes', temperature: -1, topK: -1, topP: 2, minP: 2,
  typicalP: 2, seed: -1,
  repetitionPenalty: 0, noRepeatNgramSize: -1, badWordsIds: [[999]], renormalizeLogits: 1, numBeams: 0, lengthPenalty: 'much',
  earlyStopping: 3, numReturnSequences: 2, bosTokenId: -1, eosTokenId: 999, padTokenId: -1, decoderStartTokenId: 999, forcedBosTokenId: 999,
  forcedEosTokenId: 999, stop: [''], attentions: 1, returnScores: 1, returnBeams: 1, topCandidates: -1,
};

test('every option is refused in the name that the caller wrote', async (t) => {
  const model = await opened(t, llama());
  for (const [name, value] of Object.entries(OUT_OF_BOUNDS)) {
    const error = await rejects(model.generate('abc', { [name]: value }).result(), 'invalid_argument', new RegExp(`^${name}: `));
    assert.equal(error.details.option, name);
    assert.doesNotMatch(error.message, /[a-z]_[a-z]/);
  }
  const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  for (const name of Object.keys(OUT_OF_BOUNDS).filter((one) => snake(one) !== one))
    await rejects(model.generate('a', { [snake(name)]: 1 }).result(), 'invalid_argument', new RegExp(`did you mean '${name}'`));
});

test('nothing is made where nothing is asked for', async (t) => {
  const model = await opened(t, llama());
  const { texts, finishReason, usage } = await model.generate('a', { maxNewTokens: 0 }).result();
  assert.deepEqual({ texts, finishReason, made: usage.newTokens }, { texts: [''], finishReason: ['length'], made: 0 });
});

test('a longer prompt than the context is refused with both numbers', async (t) => {
  const model = await opened(t, llama(), { maxLength: 16 });
  const error = await rejects(model.generate('x'.repeat(40)).result(), 'context_full', /41 tokens.*16/);
  assert.deepEqual({ ...error.details }, { found: '41', limit: '16' });
});

test('candidates, beams and scores come where they are asked for', async (t) => {
  const model = await opened(t, llama());
  const generation = model.generate('ab', {
    maxNewTokens: 3,
    numBeams: 3,
    numReturnSequences: 2,
    returnScores: true,
    returnBeams: true,
    topCandidates: 4,
  });
  const shown = [];
  for await (const { candidates } of generation) if (candidates) shown.push(candidates);
  assert.ok(shown.length > 0);
  for (const candidates of shown) {
    assert.ok(candidates.length <= 4);
    assert.deepEqual(
      candidates.map((one) => one.probability),
      candidates.map((one) => one.probability).sort((a, b) => b - a),
    );
    for (const { id, token } of candidates) assert.equal(model.tokenizer.tokenOf(id), token);
  }
  const { scores, sequences, beams } = await generation.result();
  assert.equal(sequences.length, 2);
  assert.ok(scores[0] >= scores[1]);
  assert.ok(beams.every(({ step, parent }) => (step === 0 ? parent === -1 : beams[parent].step === step - 1)));
});

test('leaving the loop stops the work, and the model goes on', async (t) => {
  const model = await opened(t, llama());
  const generation = model.generate('a', { maxNewTokens: 200, minNewTokens: 200 });
  for await (const { index } of generation) {
    assert.equal(index, 0);
    break;
  }
  await rejects(generation.result(), 'aborted');
  assert.equal((await model.generate('a', { maxNewTokens: 3, minNewTokens: 3 }).result()).usage.newTokens, 3);
});

test('what the loop throws passes through unchanged', async (t) => {
  const model = await opened(t, llama());
  const mine = new Error('mine');
  await assert.rejects(
    async () => {
      for await (const item of model.generate('a', { maxNewTokens: 50, minNewTokens: 50 })) throw item && mine;
    },
    (error) => error === mine,
  );
  assert.ok(await model.generate('a', { maxNewTokens: 2 }).result());
});

test('a generation is iterated once', async (t) => {
  const model = await opened(t, llama());
  const generation = model.generate('a', { maxNewTokens: 2 });
  for await (const item of generation) assert.ok(item);
  await rejects(
    async () => {
      for await (const item of generation) assert.fail(String(item));
    },
    'invalid_argument',
    /once/,
  );
});

test('work starts at the call, and items wait for whoever comes later', async (t) => {
  const model = await opened(t, llama());
  const generation = model.generate('a', { maxNewTokens: 5, minNewTokens: 5 });
  const { texts } = await generation.result();
  let text = '';
  for await (const item of generation) text += item.text;
  assert.equal(text, texts[0]);
});

test('a readable stream gives the text, and its cancellation stops the work', async (t) => {
  const model = await opened(t, llama());
  const options = { maxNewTokens: 12 };
  let text = '';
  for await (const piece of model.generate('fox', options).toReadableStream()) text += piece;
  assert.equal(text, await model.generate('fox', options).text());
  const generation = model.generate('fox', { maxNewTokens: 200, minNewTokens: 200 });
  const reader = generation.toReadableStream().getReader();
  await reader.read();
  await reader.cancel();
  await rejects(generation.result(), 'aborted');
});

test('translate gives target text of one pair, and takes no languages', async (t) => {
  const model = await opened(t, marian());
  const { texts, sequences } = await model.translate(['I love cats.', 'I love you'], { numBeams: 2, maxNewTokens: 8 }).result();
  assert.equal(texts.length, 2);
  assert.equal(sequences[0][0], 11);
  assert.equal(texts[1], model.targetTokenizer.decode(sequences[1]));
  await rejects(model.translate('I', { to: 'fr' }).result(), 'invalid_argument', /one pair/);
  await rejects(model.summarize('I').result(), 'invalid_argument', /summarize: .*marian.* not made for summarization/);
});

test('cross-attentions are one a layer, of the tokens made to the source', async (t) => {
  const model = await opened(t, marian());
  const { crossAttentions, usage } = await model.translate('I love cats.', { maxNewTokens: 5, attentions: true }).result();
  assert.equal(crossAttentions[0].length, model.info.layers);
  assert.deepEqual(crossAttentions[0][0].shape, [model.info.heads, usage.newTokens, usage.promptTokens]);
});

test("chat writes the messages by the template, and goes on with the assistant's", async (t) => {
  const model = await opened(t, llama());
  const prompt = async (messages) => {
    const { sequences, usage } = await model.chat(messages, { maxNewTokens: 3 }).result();
    return model.tokenizer.decode(sequences[0].slice(0, usage.promptTokens), { skipSpecialTokens: false });
  };
  const hello = { role: 'user', content: 'hello' };
  assert.equal(await prompt([hello]), '<user>hello</s><assistant>');
  assert.equal(await prompt([hello, { role: 'assistant', content: ' Well, ' }]), '<user>hello</s><assistant> Well, ');
  await rejects(model.chat([{ role: 'tool', content: '' }]).result(), 'invalid_argument', /no tools/);
  await rejects(model.chat([{ role: 'user' }]).result(), 'invalid_argument', /messages\[0\]\.content/);
});

test('an encoder does not generate', async (t) => {
  const model = await opened(t, bert());
  await rejects(model.generate('the fox').result(), 'invalid_argument', /cannot generate/);
  await rejects(model.translate('the fox').result(), 'invalid_argument', /not made for translation/);
});
