// What each task teaches a tiny model: the answer that its rows have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createModel, loadModel, trainTokenizer } from 'webformer';
import { BERT_TOKENS, WIDTH, bert, linear, manyLanguages, marian } from '../fixtures/make_models.mjs';
import { opened, rejects } from './support.mjs';

const OPTIONS = { steps: 60, seed: 1, batchSize: 4, optimizer: { learningRate: 0.01, clip: 1 } };
const LABELS = { id2label: { 0: 'animal', 1: 'walk' } };

const classifier = (t, config = LABELS) =>
  opened(t, bert({
    architecture: 'BertForSequenceClassification', config,
    head: { ...linear('bert.pooler.dense', WIDTH, WIDTH), ...linear('classifier', 2, WIDTH) },
  }));

const stepsOf = async (run) => {
  const steps = [];
  for await (const step of run) steps.push(step);
  return steps;
};

/** A model with random weights whose tokenizer knows these words, and these special tokens before them. */
async function fresh(t, config, words, specialTokens) {
  const tokenizer = await trainTokenizer('word', [words], { vocabSize: 40, specialTokens, unknownToken: specialTokens.at(-1) });
  const model = await createModel(
    { vocab_size: 40, initializer_range: 0.1, init_std: 0.1, dropout: 0, ...config }, { tokenizer, seed: 3 },
  );
  t.after(() => model.dispose());
  return model;
}

const T5 = {
  model_type: 't5', architectures: ['T5ForConditionalGeneration'], d_model: 32, d_kv: 16, d_ff: 64, num_heads: 2, num_layers: 1,
  feed_forward_proj: 'relu', pad_token_id: 0, eos_token_id: 1, decoder_start_token_id: 0,
};
const SENTENCE = 'one two three four five six seven eight nine ten';

test('text-classification: the label of each text, and how many are right on data aside', async (t) => {
  const model = await classifier(t);
  const rows = [['the fox', 'animal'], ['a mouse', 'animal'], ['i walk', 'walk'], ['walking', 'walk']]
    .map(([text, label]) => ({ text, label }));
  const validation = { task: 'text-classification', rows };
  const steps = await stepsOf(model.train({ task: 'text-classification', rows }, { ...OPTIONS, validation, validateEvery: 20 }));
  const validated = steps.filter(({ validationLoss }) => validationLoss !== undefined);
  assert.deepEqual(validated.map(({ step }) => step), [20, 40, 60]);
  assert.equal(validated.at(-1).accuracy, 1);
  assert.ok(validated.at(-1).validationLoss < 0.1);
  const found = await model.classify(rows.map(({ text }) => text));
  assert.deepEqual(found.map(([{ label }]) => label), rows.map(({ label }) => label));
});

test('pairs of texts are told apart by their segments', async (t) => {
  const model = await classifier(t);
  const rows = [
    { text: 'the fox', pair: 'i walk', label: 'animal' },
    { text: 'i walk', pair: 'the fox', label: 'walk' },
  ];
  const losses = (await stepsOf(model.train({ task: 'text-classification', rows }, OPTIONS))).map(({ loss }) => loss);
  assert.ok(losses.at(-1) < 0.1, `${losses[0]} became ${losses.at(-1)}`);
});

test('token-classification: the label of each word', async (t) => {
  const model = await opened(t, bert({ architecture: 'BertForTokenClassification', head: linear('classifier', 2, WIDTH), config: LABELS }));
  const rows = [{ words: ['the', 'foxs', 'walking'], labels: ['walk', 'animal', 'walk'] }];
  await model.train({ task: 'token-classification', rows }, OPTIONS).result();
  const [tags] = await model.tagTokens('the foxs walking', { aggregation: 'first' });
  assert.deepEqual(tags.map(({ label }) => label), ['walk', 'animal', 'walk']);
});

test('question-answering: where the answer stands', async (t) => {
  const model = await opened(t, bert({ architecture: 'BertForQuestionAnswering', head: linear('qa_outputs', 2, WIDTH) }));
  const row = { question: 'i love', context: 'the fox ran, a mouse saw grapes', answer: 'mouse saw', start: 15 };
  await model.train({ task: 'question-answering', rows: [row] }, OPTIONS).result();
  const [answer] = await model.answer({ question: row.question, context: row.context });
  assert.deepEqual([answer.text, answer.start], ['mouse saw', 15]);
  await rejects(model.train({ task: 'question-answering', rows: [{ ...row, start: 3 }] }, OPTIONS).result(), 'invalid_argument', /start/);
});

for (const wholeWords of [false, true]) {
  test(`masked-lm${wholeWords ? ' of whole words' : ''}: what the mask hides`, async (t) => {
    const model = await opened(t, bert());
    await model.train({ task: 'masked-lm', rows: ['the mouse ran', 'a fox saw'] }, { ...OPTIONS, steps: 200, wholeWords }).result();
    const [[best]] = await model.fillMask('the [MASK] ran');
    assert.equal(best.token, 'mouse');
  });
}

test('masked-lm-next-sentence: both at once', async (t) => {
  const head = {
    ...linear('bert.pooler.dense', WIDTH, WIDTH), ...linear('cls.seq_relationship', 2, WIDTH), 'cls.predictions.bias': [BERT_TOKENS.length],
    ...linear('cls.predictions.transform.dense', WIDTH, WIDTH), 'cls.predictions.transform.LayerNorm.weight': [WIDTH],
    'cls.predictions.transform.LayerNorm.bias': [WIDTH],
  };
  const model = await opened(t, bert({ architecture: 'BertForPreTraining', head }));
  const rows = [{ first: 'the fox', second: 'the fox ran' }, { first: 'a mouse', second: 'a mouse saw' }];
  await model.train({ task: 'masked-lm-next-sentence', rows }, { ...OPTIONS, steps: 200 }).result();
  assert.ok((await model.nextSentence('the fox', 'the fox ran')).isNext > 0.7);
  assert.ok((await model.nextSentence('the fox', 'a mouse saw')).isNext < 0.3);
});

test('span-corruption and denoising: the text as it was', async (t) => {
  const specials = ['<pad>', '</s>', '<extra_id_1>', '<extra_id_0>', '<mask>', '<unk>'];
  for (const task of ['span-corruption', 'denoising']) {
    const model = await fresh(t, T5, SENTENCE, specials);
    const run = model.train({ task, rows: [SENTENCE] }, { ...OPTIONS, steps: 150, batchSize: 1 });
    const losses = (await stepsOf(run)).map(({ loss }) => loss);
    assert.ok(Math.abs(losses[0] - Math.log(40)) < 1, `${task}: ${losses[0]} at first`);
    const last = losses.slice(-20).reduce((a, b) => a + b) / 20;
    assert.ok(last < 0.5, `${task}: ${last} at last`);
  }
});

test('translation: with the codes of its languages where the model has several', async (t) => {
  const model = await opened(t, marian());
  const data = { task: 'translation', rows: [{ source: 'i love cats', target: 'je aime les chats' }] };
  await model.train(data, { ...OPTIONS, labelSmoothing: 0.1 }).result();
  assert.equal(await model.translate('i love cats').text(), 'je aime les chats');
  await rejects(model.train({ ...data, from: 'en' }, OPTIONS).result(), 'invalid_argument', /one pair/);

  const many = await opened(t, manyLanguages());
  await rejects(many.train(data, OPTIONS).result(), 'invalid_argument', /from: missing/);
  await rejects(many.train({ ...data, from: 'eng_Latn', to: 'deu_Latn' }, OPTIONS).result(), 'invalid_argument', /deu_Latn/);
  await many.train({ ...data, from: 'eng_Latn', to: 'fra_Latn' }, { ...OPTIONS, optimizer: { learningRate: 0.003 } }).result();
  const { texts, sequences } = await many.translate('i love cats', { from: 'eng_Latn', to: 'fra_Latn' }).result();
  assert.equal(texts[0], 'je aime les chats');
  assert.equal(sequences[0].at(-1), 0, 'ends with </s>');
});

test('label smoothing leaves the loss above zero', async (t) => {
  const rows = [{ text: 'the fox', label: 'animal' }, { text: 'i walk', label: 'walk' }];
  const last = async (labelSmoothing) =>
    (await (await classifier(t)).train({ task: 'text-classification', rows }, { ...OPTIONS, steps: 150, labelSmoothing }).result()).loss;
  assert.ok((await last(0)) < 0.01);
  // The least that is left: the entropy of the smoothed labels, 0.95 and 0.05.
  const least = -(0.95 * Math.log(0.95) + 0.05 * Math.log(0.05));
  const smoothed = await last(0.1);
  assert.ok(smoothed > least - 1e-6 && smoothed < least + 0.05, `${smoothed}, at least ${least}`);
});

test('a stream that never answers ends with an abort', async (t) => {
  const model = await classifier(t);
  const rows = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
  const abort = new AbortController();
  const run = model.train({ task: 'text-classification', rows }, { signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await rejects(run.result(), 'aborted');
  assert.ok((await model.classify('the fox')).length === 1);
});

test('rows of another kind are refused by their number, and the weights stay as they are', async (t) => {
  const model = await opened(t, bert(), { dtype: 'f16' });
  const refused = (rows, pattern, task = 'masked-lm') =>
    rejects(model.train({ task, rows }, OPTIONS).result(), 'invalid_argument', pattern);
  await refused(['the fox', { text: 'the fox' }], /rows\[1\]: .*a text expected/);
  await refused(['the fox', undefined], /rows\[1\]: null found/);
  await refused(['the fox', 3n], /rows\[1\]: null found/);
  await refused([], /nothing in them/);
  await refused([''], /nothing in them/);
  await refused(['the fox'], /no labels/, 'text-classification');
  assert.equal(model.info.dtype, 'f16');
});

test('a base model gets a new head for labels of its own, and is saved as the class of its task', async (t) => {
  const head = { task: 'text-classification', labels: ['animal', 'walk'], seed: 1 };
  const model = await opened(t, bert(), { head });
  assert.deepEqual(model.info.labels, ['animal', 'walk']);
  assert.deepEqual(model.info.tasks, ['text-classification']);
  assert.ok(model.info.unusedWeights.includes('cls.predictions.bias'));
  const rows = [{ text: 'the fox', label: 'animal' }, { text: 'i walk', label: 'walk' }];
  await model.train({ task: 'text-classification', rows }, OPTIONS).result();
  const again = await opened(t, await model.save());
  assert.deepEqual(again.info.config.architectures, ['BertForSequenceClassification']);
  const found = await again.classify(rows.map(({ text }) => text));
  assert.deepEqual(found.map(([{ label }]) => label), ['animal', 'walk']);
  const scores = async (options) => (await (await opened(t, bert(), options)).forward({ inputIds: [[2, 5, 3]] })).logits.data;
  assert.deepEqual(await scores({ head }), await scores({ head }));
  assert.notDeepEqual(await scores({ head }), await scores({ head: { ...head, seed: 2 } }));
});

test('heads that no class has, or labels that are too few, are refused', async () => {
  const refused = (head, pattern, code = 'invalid_argument') => rejects(loadModel(bert(), { head }), code, pattern);
  await refused({ task: 'summarization' }, /one of text-classification/);
  await refused({ task: 'text-classification' }, /at least 2/);
  await refused({ task: 'text-classification', labels: ['a', 'a'] }, /twice/);
  await refused({ task: 'text-classification', label: ['a', 'b'] }, /did you mean 'labels'/);
  await refused({ task: 'question-answering', labels: ['a', 'b'] }, /none expected/);
  await rejects(createModel({ model_type: 'bert' }, { head: { task: 'question-answering' } }), 'invalid_argument', /architectures/);
});
