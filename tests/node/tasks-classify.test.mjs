// Labels of texts and pairs: scores are those of the logits that forward() gives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifier, nextSentenceModel } from '../fixtures/make_encoders.mjs';
import { bert } from '../fixtures/make_models.mjs';
import { opened, rejects } from './support.mjs';

const LABELS = ['negative', 'neutral', 'positive'];
const softmax = (logits) => {
  const all = logits.map(Math.exp), sum = all.reduce((a, b) => a + b);
  return all.map((value) => value / sum);
};
const sigmoid = (logits) => logits.map((logit) => 1 / (1 + Math.exp(-logit)));
const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-5, `${a}, ${b} expected`);

async function logitsOf(model, text, pair, output = 'logits') {
  const { ids, typeIds } = model.tokenizer.encode(text, { pair });
  return [...(await model.forward({ inputIds: [ids], tokenTypeIds: [typeIds] }))[output].data];
}

/** Labels and scores, the greatest score first. */
function assertScores(got, labels, scores) {
  const want = labels.map((label, i) => ({ label, score: scores[i] })).sort((a, b) => b.score - a.score);
  assert.deepEqual(got.map(({ label }) => label), want.map(({ label }) => label));
  got.forEach(({ score }, i) => close(score, want[i].score));
}

test('one label holds: a softmax over all, of which topK are given', async (t) => {
  const model = await opened(t, classifier(LABELS));
  const scores = softmax(await logitsOf(model, 'the fox saw grapes'));
  const [all] = await model.classify('the fox saw grapes', { topK: null });
  assertScores(all, LABELS, scores);
  assert.deepEqual(await model.classify('the fox saw grapes'), [all.slice(0, 1)]);
  assert.deepEqual(await model.classify('the fox saw grapes', { topK: 2 }), [all.slice(0, 2)]);
  assert.deepEqual(await model.classify('the fox saw grapes', { topK: 9 }), [all]);
});

test('a pair is two segments', async (t) => {
  const model = await opened(t, classifier(LABELS));
  const [scores] = await model.classify({ text: 'the fox', pair: 'a mouse' }, { topK: null });
  assertScores(scores, LABELS, softmax(await logitsOf(model, 'the fox', 'a mouse')));
});

test('what the model was trained for decides, unless the caller does', async (t) => {
  const several = await opened(t, classifier(LABELS, { problem_type: 'multi_label_classification' }));
  const logits = await logitsOf(several, 'a mouse');
  assertScores((await several.classify('a mouse', { topK: null }))[0], LABELS, sigmoid(logits));
  assertScores((await several.classify('a mouse', { topK: null, multiLabel: false }))[0], LABELS, softmax(logits));
  const one = await opened(t, classifier(LABELS));
  assertScores((await one.classify('a mouse', { topK: null, multiLabel: true }))[0], LABELS, sigmoid(logits));
  const yes = await opened(t, classifier(['yes']));
  assertScores((await yes.classify('a mouse'))[0], ['yes'], sigmoid(await logitsOf(yes, 'a mouse')));
  const number = await opened(t, classifier(['stars'], { problem_type: 'regression' }));
  assertScores((await number.classify('a mouse'))[0], ['stars'], await logitsOf(number, 'a mouse'));
});

test('texts of unlike lengths give in a batch what each gives alone', async (t) => {
  const model = await opened(t, classifier(LABELS));
  const texts = ['fox', 'the fox saw a mouse, the mouse ran', '', { text: 'a', pair: 'b' }, 'the '.repeat(99), 'i love ai'];
  const batch = await model.classify(texts, { topK: null });
  for (const [i, text] of texts.entries()) {
    const [alone] = await model.classify(text, { topK: null });
    assertScores(batch[i], alone.map(({ label }) => label), alone.map(({ score }) => score));
  }
});

test('a worker answers as the thread itself does, and can be told to stop', async (t) => {
  const here = await opened(t, classifier(LABELS)), there = await opened(t, classifier(LABELS), { worker: true });
  const texts = ['the fox', { text: 'a', pair: 'b' }];
  assert.deepEqual(await there.classify(texts, { topK: null }), await here.classify(texts, { topK: null }));
  await rejects(there.classify(texts, { signal: AbortSignal.abort() }), 'aborted');
});

test('zero-shot: what the model says of each label entailing', async (t) => {
  const model = await opened(t, classifier(['contradiction', 'neutral', 'entailment']));
  const labels = ['fox', 'mouse', 'ai'], text = 'the fox ran';
  const logits = await Promise.all(labels.map((label) => logitsOf(model, text, `This example is ${label}.`)));
  assertScores(await model.zeroShot(text, labels), labels, softmax(logits.map((row) => row[2])));
  const each = logits.map(([contradiction, , entailment]) => softmax([contradiction, entailment])[1]);
  assertScores(await model.zeroShot(text, labels, { multiLabel: true }), labels, each);
  assertScores(await model.zeroShot(text, ['fox']), ['fox'], each.slice(0, 1));
  const other = await logitsOf(model, text, 'i love fox');
  assertScores(await model.zeroShot(text, ['fox'], { template: 'i love {}' }), ['fox'], [softmax([other[0], other[2]])[1]]);
});

test('zero-shot: where entailment is the first label, the last one is its contrary', async (t) => {
  const model = await opened(t, classifier(['ENTAILMENT', 'neutral', 'contradiction']));
  const [entailment, , contradiction] = await logitsOf(model, 'a', 'This example is fox.');
  assertScores(await model.zeroShot('a', ['fox']), ['fox'], [softmax([entailment, contradiction])[0]]);
});

test('the next sentence: the softmax of the two logits', async (t) => {
  const model = await opened(t, nextSentenceModel());
  const { isNext } = await model.nextSentence('the fox ran.', 'a mouse saw');
  close(isNext, softmax(await logitsOf(model, 'the fox ran.', 'a mouse saw', 'nextSentenceLogits'))[0]);
  assert.ok((await model.nextSentence('the '.repeat(40), 'a '.repeat(40))).isNext > 0);
});

test('what is no option, no text, or no label is refused, and so is a model of another task', async (t) => {
  const model = await opened(t, classifier(LABELS));
  await rejects(model.classify('a', { topk: 1 }), 'invalid_argument', /did you mean 'topK'/);
  await rejects(model.classify('a', { topK: 0 }), 'invalid_argument', /topK: 0/);
  await rejects(model.classify('a', { multiLabel: 'yes' }), 'invalid_argument', /multiLabel/);
  await rejects(model.classify([]), 'invalid_argument', /texts/);
  await rejects(model.classify(['a', 7]), 'invalid_argument', /texts\[1\]/);
  await rejects(model.classify({ text: 'a', other: 'b' }), 'invalid_argument', /other/);
  await rejects(model.zeroShot('a', ['b']), 'invalid_argument', /not made for zero-shot-classification/);
  const entailing = await opened(t, classifier(['entailment', 'contradiction']));
  await rejects(entailing.zeroShot('a', []), 'invalid_argument', /labels/);
  await rejects(entailing.zeroShot('a', 'fox, mouse'), 'invalid_argument', /labels/);
  await rejects(entailing.zeroShot('a', ['b'], { template: 'about' }), 'invalid_argument', /template/);
  await rejects(entailing.zeroShot('a', ['b'], { hypothesis: '{}' }), 'invalid_argument', /hypothesis/);
  const encoder = await opened(t, bert());
  await rejects(encoder.classify('a'), 'invalid_argument', /not made for text-classification/);
  await rejects(encoder.nextSentence('a', 'b'), 'invalid_argument', /not made for next-sentence/);
  await rejects(encoder.nextSentence('a'), 'invalid_argument', /second/);
});
