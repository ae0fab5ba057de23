// The figures that the cards of demo/models state, by the definitions of conlleval, seqeval and sacrebleu.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accuracy, bleu, labelF1, spanF1, spansOf } from '../../demo/models/recipes/metrics.mjs';

test('a span ends where its type does, and with the sentence', () => {
  assert.deepEqual(spansOf(['B-city', 'I-city', 'O', 'B-time']), ['city 0 2', 'time 3 4']);
  assert.deepEqual(spansOf(['B-city', 'B-city', 'I-time']), ['city 0 1', 'city 1 2', 'time 2 3']);
});

test('an I- without a B- before it begins a span', () => {
  assert.deepEqual(spansOf(['O', 'I-city', 'I-city']), ['city 1 3']);
  assert.deepEqual(spansOf(['O', 'O']), []);
});

test('a type may have a hyphen', () => {
  assert.deepEqual(spansOf(['B-best-rating', 'I-best-rating']), ['best-rating 0 2']);
});

test("a span counts where its type and both ends are right: the example of seqeval's README", () => {
  const right = [['O', 'O', 'O', 'B-MISC', 'I-MISC', 'I-MISC', 'O'], ['B-PER', 'I-PER', 'O']];
  const found = [['O', 'O', 'B-MISC', 'I-MISC', 'I-MISC', 'I-MISC', 'O'], ['B-PER', 'I-PER', 'O']];
  assert.deepEqual(spanF1(found, right), { precision: 0.5, recall: 0.5, f1: 0.5 });
});

test('precision is of what was found, recall of what is right', () => {
  const right = [['B-a', 'B-a', 'O', 'B-b']], found = [['B-a', 'O', 'O', 'O']];
  assert.deepEqual(spanF1(found, right), { precision: 1, recall: 1 / 3, f1: 0.5 });
  const labels = ['spam', 'ham', 'ham', 'spam'], predicted = ['spam', 'spam', 'spam', 'ham'];
  assert.deepEqual(labelF1(predicted, labels, 'spam'), { precision: 1 / 3, recall: 0.5, f1: 0.4 });
});

test('accuracy is of all words, not the mean of sentences', () => {
  assert.equal(accuracy([['A'], ['A', 'B', 'B']], [['A'], ['A', 'A', 'A']]), 0.5);
});

// the scores are those of sacrebleu 2.6's corpus_bleu
for (const [name, expected, found, references] of [
  ['several references, the nearest in length', 48.892302243490086, ['The cat sat on the mat.'],
    [['The cat is on the mat.', 'There is a cat on the mat.']]],
  ['numbers, points and quotes', 60.11314680436275, ["C'est 1,000.5 euros - non ?", 'Il a dit : « Oui ».'],
    [["C'est 1,000.5 euros, non ?"], ['Il a dit « oui ».', 'Il a dit : « Oui, oui ».']]],
  ['hyphens and entities', 81.55395405382076, ["It's 5-4 (or &quot;so&quot;)."], [['It is 5-4 (or "so").']]],
  ['fewer than four words', 0, ['a b'], [['a c d', 'x']]],
]) {
  test(`BLEU: ${name}`, () => {
    assert.ok(Math.abs(bleu(found, references) - expected) < 1e-9, `${bleu(found, references)}, not ${expected}`);
  });
}
