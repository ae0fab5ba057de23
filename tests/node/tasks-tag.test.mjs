// Tags of a model whose probabilities are given for each token, so that each aggregation can be computed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tagger } from '../fixtures/make_encoders.mjs';
import { bert } from '../fixtures/make_models.mjs';
import { opened, rejects } from './support.mjs';

const LABELS = ['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC'];
const OUTSIDE = [0.6, 0.1, 0.1, 0.1, 0.1];
const model = () =>
  tagger(LABELS, {
    the: OUTSIDE,
    a: OUTSIDE,
    '[UNK]': OUTSIDE,
    fox: [0.1, 0.6, 0.1, 0.1, 0.1],
    walk: [0.2, 0.1, 0.5, 0.1, 0.1],
    '##ing': [0.05, 0.05, 0.05, 0.8, 0.05],
    saw: [0.9, 0.025, 0.025, 0.025, 0.025],
    mouse: [0.075, 0.075, 0.075, 0.075, 0.7],
  });
const TEXT = 'The fox walking saw mouse';

const tag = (label, score, start, end, text = TEXT.slice(start, end)) => ({ label, score, text, start, end });
const MOUSE = tag('LOC', 0.7, 20, 25);
const EXPECTED = {
  none: [tag('B-PER', 0.6, 4, 7), tag('I-PER', 0.5, 8, 12), tag('B-LOC', 0.8, 12, 15, '##ing'), tag('I-LOC', 0.7, 20, 25)],
  simple: [tag('PER', (0.6 + 0.5) / 2, 4, 12), tag('LOC', 0.8, 12, 15, '##ing'), MOUSE],
  first: [tag('PER', (0.6 + 0.5) / 2, 4, 15), MOUSE],
  max: [tag('PER', 0.6, 4, 7), tag('LOC', 0.8, 8, 15), MOUSE],
  average: [tag('PER', 0.6, 4, 7), tag('LOC', (0.1 + 0.8) / 2, 8, 15), MOUSE],
};

function assertTags(got, want) {
  assert.deepEqual(got.map(({ score, ...rest }) => rest), want.map(({ score, ...rest }) => rest));
  got.forEach(({ score }, i) => assert.ok(Math.abs(score - want[i].score) < 1e-5, `${want[i].text}: ${score}, ${want[i].score} expected`));
}

for (const [aggregation, want] of Object.entries(EXPECTED)) {
  test(`aggregation '${aggregation}' gives the tags computed by hand`, async (t) => {
    const tags = await (await opened(t, model())).tagTokens(TEXT, { aggregation });
    assert.equal(tags.length, 1);
    assertTags(tags[0], want);
  });
}

test('without options, tags are those of tokens, and O is left out', async (t) => {
  assertTags((await (await opened(t, model())).tagTokens(TEXT))[0], EXPECTED.none);
});

test('ignoreLabels are what is left out: labels of tokens, or of entities', async (t) => {
  const it = await opened(t, model());
  const [all] = await it.tagTokens(TEXT, { ignoreLabels: [] });
  assertTags(all, [tag('O', 0.6, 0, 3, 'the'), ...EXPECTED.none.slice(0, 3), tag('O', 0.9, 16, 19), EXPECTED.none[3]]);
  const [entities] = await it.tagTokens(TEXT, { aggregation: 'max', ignoreLabels: ['O', 'LOC'] });
  assertTags(entities, [EXPECTED.max[0]]);
});

test('a word that the vocabulary lacks is shown as it stands in the text', async (t) => {
  const [tags] = await (await opened(t, model())).tagTokens('a Zebra', { aggregation: 'first', ignoreLabels: [] });
  assertTags(tags, [tag('O', 0.6, 0, 7, 'a Zebra')]);
});

test('offsets are those of the text in UTF-16, and a long text is cut', async (t) => {
  const it = await opened(t, model());
  const [tags] = await it.tagTokens('🙂 fox', { ignoreLabels: [] });
  assertTags(tags, [tag('O', 0.6, 0, 2, '🙂'), tag('B-PER', 0.6, 3, 6, 'fox')]);
  const [cut] = await it.tagTokens('fox '.repeat(50));
  assert.equal(cut.length, 30); // 32 tokens, [CLS] and [SEP] among them
});

test('texts of unlike lengths give in a batch what each gives alone', async (t) => {
  const it = await opened(t, model());
  const texts = ['mouse', TEXT, '', 'fox fox fox', 'saw'];
  const batch = await it.tagTokens(texts, { aggregation: 'simple' });
  for (const [i, text] of texts.entries()) assertTags(batch[i], (await it.tagTokens(text, { aggregation: 'simple' }))[0]);
  assert.deepEqual(batch[2], []);
});

test('what is no option or no text is refused, and so is a model of another task', async (t) => {
  const it = await opened(t, model());
  await rejects(it.tagTokens(TEXT, { agregation: 'simple' }), 'invalid_argument', /did you mean 'aggregation'/);
  await rejects(it.tagTokens(TEXT, { aggregation: 'mean' }), 'invalid_argument', /'average'/);
  await rejects(it.tagTokens(TEXT, { ignoreLabels: 'O' }), 'invalid_argument', /ignoreLabels/);
  await rejects(it.tagTokens([]), 'invalid_argument', /texts/);
  await rejects(it.tagTokens(TEXT, { signal: AbortSignal.abort() }), 'aborted');
  await rejects((await opened(t, bert())).tagTokens(TEXT), 'invalid_argument', /not made for token-classification/);
});
