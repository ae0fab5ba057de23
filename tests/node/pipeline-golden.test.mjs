// The pipelines, asked by transformers.js' names, against what transformers' gave: texts, labels and ids equal, scores within 1e-4.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipeline } from 'webformer/pipeline';
import { goldenTasks, missing } from './golden-tasks.mjs';

/** Names that are not the same in another case. */
const RENAMED = {
  template: 'hypothesis_template', from: 'src_lang', to: 'tgt_lang', stop: 'stop_strings', aggregation: 'aggregation_strategy',
  maxLength: 'max_seq_len', stride: 'doc_stride', handleImpossible: 'handle_impossible_answer',
};
const snake = (name) => RENAMED[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const renamed = (options) => Object.fromEntries(Object.entries(options).map(([name, value]) => [snake(name), value]));

const texts = (key) => (list) => ({ texts: list.map((one) => one[key]) });
const tags = ({ aggregation = 'none' }) => (lists) =>
  lists.map((list) => list.map(({ entity, entity_group, score, word, start, end }) => {
    // A token is a piece of a text here, not a name in the vocabulary.
    return { label: aggregation === 'none' ? entity : entity_group, score, ...(aggregation === 'none' ? {} : { text: word }), start, end };
  }));

/** For a task of the goldens: the pipeline, what it is called with, and its answer as the goldens have it. */
const TASKS = {
  classify: { task: 'text-classification', call: ({ inputs }) => [inputs], read: ({ inputs, options: { topK = 1 } }) => (labels) =>
    topK === 1 ? labels.map((label) => [label]) : Array.isArray(inputs) ? labels : [labels] },
  zeroShot: { task: 'zero-shot-classification', call: ({ inputs }) => [inputs.text, inputs.labels], read: () => ({ labels, scores }) =>
    labels.map((label, i) => ({ label, score: scores[i] })) },
  tagTokens: { task: 'ner', call: ({ inputs }) => [[inputs].flat()], read: ({ options }) => tags(options) },
  answer: { task: 'question-answering', call: ({ inputs }) => [inputs.question, inputs.context], read: () => (answers) =>
    [answers].flat().map(({ answer: text, score, start, end }) => ({ text, score, start, end })) },
  fillMask: { task: 'fill-mask', call: ({ inputs }) => [inputs], read: () => (list) =>
    [list.map(({ token_str, token, score, sequence }) => ({ token: token_str, id: token, score, text: sequence }))] },
  generate: { task: 'text-generation', call: ({ inputs }) => [inputs], read: () => ([{ generated_text: fullText }]) => ({ fullText }) },
  convert: { task: 'text2text-generation', call: ({ inputs }) => [inputs], read: () => ([{ generated_text: text }]) => ({ text }) },
  chat: { task: 'text-generation', call: ({ inputs }) => [inputs], read: () => ([{ generated_text: messages }]) =>
    ({ text: messages.at(-1).content }) },
  translate: { task: 'translation', call: ({ inputs }) => [inputs], read: () => texts('translation_text') },
  summarize: { task: 'summarization', call: ({ inputs }) => [inputs], read: () => texts('summary_text') },
};

/** Encoder-decoders are asked to generate too. */
const taskOf = ({ task, output }) => (task === 'generate' && output.fullText === undefined ? 'convert' : task);

/** Whether a pipeline of transformers.js gives the same, and has a name for it. */
function isComparable({ task, options, inputs, output }) {
  if (task === 'classify') return options.multiLabel === undefined && !JSON.stringify(inputs).includes('"pair"');
  if (task === 'fillMask') return output.length === 1;
  if (task === 'chat') return inputs.at(-1).role !== 'assistant';
  return task in TASKS;
}

/** Everything of `got`, which is something, is in `want`, numbers within 1e-4. */
function assertClose(got, want, at) {
  if (Array.isArray(got)) {
    assert.equal(got.length, want.length, at);
    return got.forEach((one, i) => assertClose(one, want[i], `${at}[${i}]`));
  }
  if (typeof got === 'object') {
    assert.ok(Object.keys(got).length > 0, at);
    for (const key of Object.keys(got)) assertClose(got[key], want[key], `${at}.${key}`);
    return;
  }
  if (typeof got === 'number') assert.ok(Math.abs(got - want) <= 1e-4 * Math.max(1, Math.abs(want)), `${at}: ${got}, ${want} expected`);
  else assert.equal(got, want, at);
}

test('pipelines give what transformers gives', { skip: missing }, async (t) => {
  for (const { name, folder, cases } of goldenTasks()) {
    const comparable = cases.filter(isComparable);
    for (const task of new Set(comparable.map(taskOf))) {
      const { task: asked, call, read } = TASKS[task];
      await t.test(`${name}: ${asked}`, async () => {
        const pipe = await pipeline(asked, folder, { dtype: 'fp32' });
        try {
          for (const item of comparable.filter((one) => taskOf(one) === task))
            assertClose(read(item)(await pipe(...call(item), renamed(item.options))), item.output, item.name);
        } finally {
          await pipe.dispose();
        }
      });
    }
  }
});

/** What the goldens name, by transformers.js' names. */
const POOLINGS = { mean: 'mean', cls: 'cls', last: 'last_token' };
/** What folders ask for where the caller does not, as all but one ask for vectors of length 1; transformers.js asks the caller alone. */
const POOLED = { 'embed-st-cls': 'cls', 'embed-st-last': 'last' };

test('pooled and normalized features are the embeddings', { skip: missing }, async (t) => {
  for (const { name, folder, cases } of goldenTasks().filter(({ name }) => name.startsWith('embed-'))) {
    await t.test(name, async () => {
      const extractor = await pipeline('feature-extraction', folder, { dtype: 'fp32' });
      for (const { inputs, options, output, task, name: item } of cases) {
        const { pooling = POOLED[name] ?? 'mean', normalize = name !== 'embed-st-cls' } = options;
        if (task !== 'embed' || !(pooling in POOLINGS)) continue;
        const { dims, data } = await extractor(inputs, { pooling: POOLINGS[pooling], normalize });
        assertClose({ shape: dims, data: [...data] }, output, item);
      }
      await extractor.dispose();
    });
  }
});
