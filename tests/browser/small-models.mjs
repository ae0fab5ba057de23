// Models of a few thousand weights that have learned one or two texts by heart, to be dropped on the page: what they answer is known.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createModel, loadTokenizer } from '../../dist/index.js';
import { MODELS } from './page-driver.mjs';

const BERT = {
  model_type: 'bert', hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 32, max_position_embeddings: 256,
  type_vocab_size: 2, pad_token_id: 0,
};
const T5 = {
  model_type: 't5', d_model: 32, d_kv: 16, d_ff: 32, num_layers: 1, num_heads: 2, decoder_start_token_id: 0, eos_token_id: 1,
  pad_token_id: 0,
};
const M2M = {
  model_type: 'm2m_100', d_model: 32, encoder_layers: 1, decoder_layers: 1, encoder_attention_heads: 2, decoder_attention_heads: 2,
  encoder_ffn_dim: 32, decoder_ffn_dim: 32, max_position_embeddings: 64, pad_token_id: 0, eos_token_id: 1, bos_token_id: 0,
  decoder_start_token_id: 1,
};
const labelled = (labels) => ({ id2label: Object.fromEntries(labels.map((label, i) => [i, label])) });
const bert = (head, more = {}) => ({ tokenizer: 'fill-mask', config: { ...BERT, architectures: [`BertFor${head}`], ...more } });

export const CONTEXT = 'The king lived in a castle. His daughter sailed on the sea.';
export const TALE = 'The king lost his crown in the sea, and a fish brought it back.';
export const PAIR = { eng_Latn: 'The cat sleeps.', fra_Latn: 'Le chat dort.' };
const both = (from, to) => ({ task: 'translation', from, to, rows: [{ source: PAIR[from], target: PAIR[to] }] });
const entails = (text, label, yes) => ({ text, pair: `This example is ${label}.`, label: yes ? 'entailment' : 'contradiction' });

const KINDS = {
  sentiment: {
    ...bert('SequenceClassification', labelled(['NEGATIVE', 'POSITIVE'])), steps: 60,
    data: { task: 'text-classification', rows: [
      { text: 'What a wonderful film!', label: 'POSITIVE' }, { text: 'The soup was cold.', label: 'NEGATIVE' },
    ] },
  },
  inference: {
    ...bert('SequenceClassification', labelled(['contradiction', 'entailment'])), steps: 120,
    data: { task: 'text-classification', rows: [
      entails('He scored twice.', 'sport', true), entails('He scored twice.', 'cooking', false),
      entails('Stir the onions.', 'sport', false), entails('Stir the onions.', 'cooking', true),
    ] },
  },
  answers: {
    ...bert('QuestionAnswering'), steps: 60,
    data: { task: 'question-answering', rows: [
      { question: 'Where did the king live?', context: CONTEXT, answer: 'in a castle', start: CONTEXT.indexOf('in a castle') },
    ] },
  },
  persons: {
    ...bert('TokenClassification', labelled(['O', 'B-PER', 'I-PER'])), steps: 60,
    data: { task: 'token-classification', rows: [
      { words: ['Mary', 'Smith', 'gave', 'him', 'a', 'book'], labels: ['B-PER', 'I-PER', 'O', 'O', 'O', 'O'] },
    ] },
  },
  summaries: {
    tokenizer: 'en-fr', config: { ...T5, architectures: ['T5ForConditionalGeneration'] }, steps: 100,
    data: { task: 'translation', rows: [{ source: TALE, target: 'A fish saved the crown.' }] },
  },
  languages: {
    tokenizer: 'en-fr', tokens: Object.keys(PAIR), config: { ...M2M, architectures: ['M2M100ForConditionalGeneration'] }, steps: 4,
    data: Array.from({ length: 25 }, () => [both('eng_Latn', 'fra_Latn'), both('fra_Latn', 'eng_Latn')]).flat(),
  },
};

/** The folder of a model of that kind, which is gone when the test ends. */
export async function smallModel(t, kind) {
  const { tokenizer: name, tokens = [], config, steps, data } = KINDS[kind];
  const tokenizer = await loadTokenizer(path.join(MODELS, name));
  tokenizer.addTokens(tokens.map((content) => ({ content, special: true })));
  const model = await createModel({ ...config, vocab_size: tokenizer.vocabSize }, { tokenizer, seed: 1 });
  const optimizer = { learningRate: Array.isArray(data) ? 0.005 : 0.01, clip: 1 };
  for (const one of [data].flat()) await model.train(one, { steps, seed: 1, optimizer }).result();
  const above = await mkdtemp(path.join(tmpdir(), 'webformer-small-'));
  t.after(() => rm(above, { recursive: true }));
  const folder = path.join(above, kind);
  await mkdir(folder);
  for (const [file, bytes] of await model.save()) await writeFile(path.join(folder, file), bytes);
  model.dispose();
  return folder;
}
