// Answers of a model that weighs tokens by what is given: a token's probability is its weight, by the sum of the weights of [CLS] and of
// all tokens of the context.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerer } from '../fixtures/make_encoders.mjs';
import { bert } from '../fixtures/make_models.mjs';
import { opened, rejects } from './support.mjs';

const model = () => answerer({ fox: [8, 1], walk: [1, 3], mouse: [1, 6] });
const question = 'the ai';

function assertAnswers(got, want) {
  assert.deepEqual(got.map(({ score, ...rest }) => rest), want.map(({ score, ...rest }) => rest));
  got.forEach(({ score }, i) => assert.ok(Math.abs(score - want[i].score) < 1e-5, `${want[i].text}: ${score}, ${want[i].score} expected`));
}

test('the best span is the one whose start and end are likeliest together', async (t) => {
  const answers = await (await opened(t, model())).answer({ question, context: 'The fox saw a mouse' });
  // starts: [CLS] the fox saw a mouse = 1+1+8+1+1+1, ends: 1+1+1+1+1+6
  assertAnswers(answers, [{ text: 'fox saw a mouse', score: (8 / 13) * (6 / 11), start: 4, end: 19 }]);
});

test('a span that ends within a word is widened to it, and spans of the same words are one answer', async (t) => {
  const answers = await (await opened(t, model())).answer({ question, context: 'fox walking' }, { topK: 5 });
  // starts: [CLS] fox walk ##ing = 1+8+1+1, ends: 1+1+3+1
  assertAnswers(answers, [
    { text: 'fox walking', score: (8 / 11) * (4 / 6), start: 0, end: 11 },
    { text: 'fox', score: (8 / 11) * (1 / 6), start: 0, end: 3 },
    { text: 'walking', score: (1 / 11) * (5 / 6), start: 4, end: 11 },
  ]);
});

test('that there is no answer may be one: the probability of [CLS] as start and end', async (t) => {
  const it = await opened(t, model());
  const answers = await it.answer({ question, context: 'fox walking' }, { topK: 5, handleImpossible: true });
  assertAnswers(answers.slice(3), [{ text: '', score: (1 / 11) * (1 / 6), start: 0, end: 0 }]);
  const options = { maxLength: 16, stride: 2, topK: 99, handleImpossible: true };
  const windows = await it.answer({ question, context: 'a '.repeat(30) + 'fox' }, options);
  // The least of all windows: that of the fox, which makes all else less likely.
  const last = windows.find(({ text }) => text === '');
  assert.ok(last.score < 1 / 8 / 2 && last.score > 0);
});

test('answers of the same words in different cases are one', async (t) => {
  const [best] = await (await opened(t, model())).answer({ question, context: 'Mouse mouse' });
  // starts: 1+1+1, ends: 1+6+6; either mouse by itself
  assertAnswers([best], [{ text: 'Mouse', score: 2 * (1 / 3) * (6 / 13), start: 0, end: 5 }]);
});

test('a long context is read in windows that overlap, and the answer has its place in the whole', async (t) => {
  const it = await opened(t, model());
  const context = '🙂 ' + 'a '.repeat(60) + 'fox saw mouse ' + 'a '.repeat(40);
  for (const options of [{}, { maxLength: 16, stride: 4 }, { maxLength: 20, stride: 6 }]) {
    const [best] = await it.answer({ question, context }, options);
    assert.equal(best.text, 'fox saw mouse');
    assert.equal(best.start, context.indexOf('fox'));
    assert.equal(best.end, best.start + 'fox saw mouse'.length);
  }
});

test('an answer has at most 15 tokens', async (t) => {
  const context = 'fox ' + 'a '.repeat(20) + 'mouse';
  for (const { start, end } of await (await opened(t, model())).answer({ question, context }, { topK: 50 }))
    assert.ok(context.slice(start, end).split(' ').length <= 15);
});

test('what is no option, or out of bounds, is refused by name', async (t) => {
  const it = await opened(t, model());
  const input = { question, context: 'the fox' };
  await rejects(it.answer(input, { top_k: 3 }), 'invalid_argument', /did you mean 'topK'/);
  await rejects(it.answer(input, { topK: 0 }), 'invalid_argument', /topK: 0/);
  await rejects(it.answer(input, { stride: -1 }), 'invalid_argument', /stride: -1/);
  await rejects(it.answer(input, { maxLength: 33 }), 'invalid_argument', /maxLength: 33 found, at most 32/);
  await rejects(it.answer(input, { handleImpossible: 1 }), 'invalid_argument', /handleImpossible/);
  await rejects(it.answer({ question, context: ' ' }), 'invalid_argument', /context/);
  await rejects(it.answer({ question: '', context: 'a' }), 'invalid_argument', /question/);
  await rejects(it.answer({ question, text: 'a' }), 'invalid_argument', /text/);
  await rejects(it.answer('the fox'), 'invalid_argument', /question, context/);
  await rejects(it.answer({ question: 'a '.repeat(40), context: 'the fox' }), 'invalid_argument');
  await rejects((await opened(t, bert())).answer(input), 'invalid_argument', /not made for question-answering/);
});
