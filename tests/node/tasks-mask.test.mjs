// Words for masks: probabilities are those of the logits that forward() gives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BERT_TOKENS, bert, llama } from '../fixtures/make_models.mjs';
import { classifier } from '../fixtures/make_encoders.mjs';
import { opened, rejects } from './support.mjs';

/** The probabilities of all tokens at the masks. */
async function probabilities(model, text) {
  const { ids } = model.tokenizer.encode(text);
  const { data } = (await model.forward({ inputIds: [ids] })).logits;
  const width = BERT_TOKENS.length, masks = ids.flatMap((id, i) => (id === 4 ? [i] : []));
  return masks.map((place) => {
    const row = [...data.subarray(place * width, (place + 1) * width)].map(Math.exp), sum = row.reduce((a, b) => a + b);
    return row.map((value) => value / sum);
  });
}
const ranking = (row) => row.map((score, id) => ({ id, score })).sort((a, b) => b.score - a.score);

test('the likeliest tokens come first, five where nothing else is said, each in the text', async (t) => {
  const model = await opened(t, bert());
  const [row] = await probabilities(model, 'the [MASK] ran');
  const [words] = await model.fillMask('the [MASK] ran');
  assert.equal(words.length, 5);
  for (const [i, { id, score }] of ranking(row).slice(0, 5).entries()) {
    assert.equal(words[i].id, id);
    assert.equal(words[i].token, BERT_TOKENS[id]);
    assert.ok(Math.abs(words[i].score - score) < 1e-5);
    assert.equal(words[i].text, model.tokenizer.decode([2, 5, id, 11, 3]));
  }
  const [all] = await model.fillMask('the [MASK] ran', { topK: 99 });
  assert.equal(all.length, BERT_TOKENS.length);
  assert.equal(all.find(({ id }) => id === 6).text, 'the fox ran');
});

test('of several masks each has its list, and the others stay masks in its texts', async (t) => {
  const model = await opened(t, bert());
  const rows = await probabilities(model, 'the [MASK] saw [MASK]');
  const lists = await model.fillMask('the [MASK] saw [MASK]', { topK: 20 });
  assert.equal(lists.length, 2);
  lists.forEach((list, i) => assert.deepEqual(list.map(({ id }) => id), ranking(rows[i]).map(({ id }) => id)));
  assert.equal(lists[0].find(({ id }) => id === 6).text, '[CLS] the fox saw [MASK] [SEP]');
  assert.equal(lists[1].find(({ id }) => id === 8).text, '[CLS] the [MASK] saw grapes [SEP]');
});

test('targets are tokens, or begin with one; each has its probability among all', async (t) => {
  const model = await opened(t, bert());
  const [row] = await probabilities(model, 'the [MASK] ran');
  const [words] = await model.fillMask('the [MASK] ran', { targets: ['fox', '##s', 'walking', 'fox'] });
  assert.deepEqual(words.map(({ id }) => id).sort((a, b) => a - b), [6, 14, 16]);
  for (const { id, score } of words) assert.ok(Math.abs(score - row[id]) < 1e-5);
  assert.ok(words[0].score >= words[1].score && words[1].score >= words[2].score);
  assert.deepEqual((await model.fillMask('the [MASK] ran', { targets: ['fox', '##s'], topK: 1 }))[0].length, 1);
});

test('what has no mask, no token or no such option is refused, and a text that is too long as well', async (t) => {
  const model = await opened(t, bert());
  await rejects(model.fillMask('the fox'), 'invalid_argument', /\[MASK\]/);
  await rejects(model.fillMask('the [MASK]', { targets: [''] }), 'invalid_argument', /targets/);
  await rejects(model.fillMask('the [MASK]', { targets: [] }), 'invalid_argument', /targets/);
  await rejects(model.fillMask('the [MASK]', { topK: 1.5 }), 'invalid_argument', /topK/);
  await rejects(model.fillMask('the [MASK]', { target: ['fox'] }), 'invalid_argument', /did you mean 'targets'/);
  await rejects(model.fillMask(['the [MASK]']), 'invalid_argument', /text/);
  await rejects(model.fillMask('a '.repeat(40) + '[MASK]'), 'context_full');
  await rejects((await opened(t, llama())).fillMask('a'), 'invalid_argument', /not made for fill-mask/);
  await rejects((await opened(t, classifier(['a', 'b']))).fillMask('[MASK]'), 'invalid_argument', /not made for fill-mask/);
});
