// Three small models that learn from the reader's own lines: how the lines are read, what model is made for them, and how it is asked.
import { createModel, trainTokenizer, type Model, type TokenizerKind, type TrainingData } from 'webformer';
import { meanOfHeads } from './heads';

export const TASKS = ['classifier', 'translator', 'writer'] as const;
export type Task = typeof TASKS[number];

export interface Look { readonly queries: string[]; readonly keys: string[]; readonly weights: Float32Array }
export interface Recipe {
  /** Null: these lines are not what the task needs. */
  read(text: string): TrainingData | null;
  create(data: TrainingData, signal: AbortSignal): Promise<Model>;
  /** What the model makes of a text now. */
  ask(model: Model, text: string, signal: AbortSignal): Promise<string>;
  /** Where it looks while it does: the mean of all heads of its last layer. */
  look(model: Model, text: string, signal: AbortSignal): Promise<Look>;
}

const SEED = 1;
const WIDTH = 32;
const MOST = 12;
const linesOf = (text: string) => text.split('\n').map((line) => line.trim()).filter(Boolean);

/** The two halves of each line that has both. */
const halvesOf = (text: string, mark: RegExp): [string, string][] => linesOf(text).flatMap((line) => {
  const found = mark.exec(line);
  const halves = found && [line.slice(0, found.index).trim(), line.slice(found.index + found[0].length).trim()];
  return halves?.every(Boolean) ? [halves as [string, string]] : [];
});

const tokenizerOf = (kind: TokenizerKind, texts: string[], vocabSize: number, specialTokens: string[], signal: AbortSignal) =>
  trainTokenizer(kind, texts, { vocabSize, specialTokens, signal, ...kind === 'word' && { unknownToken: '<unk>' } });

async function lookBack(model: Model, text: string, signal: AbortSignal): Promise<Look> {
  const { ids, tokens } = model.tokenizer!.encode(text);
  const { attentions } = await model.forward({ inputIds: [ids.slice(0, MOST)] }, { attentions: true, signal });
  const names = tokens.slice(0, MOST);
  return { queries: names, keys: names, weights: meanOfHeads(attentions!.at(-1)!) };
}

const classifier: Recipe = {
  read(text) {
    const rows = halvesOf(text, /:/).map(([label, rest]) => ({ label, text: rest }));
    return new Set(rows.map(({ label }) => label)).size > 1 ? { task: 'text-classification', rows } : null;
  },
  async create(data, signal) {
    const rows = data.rows as { text: string; label: string }[];
    const labels = [...new Set(rows.map(({ label }) => label))];
    const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
    const tokenizer = await tokenizerOf('wordpiece', rows.map(({ text }) => text), 400, special, signal);
    return createModel({
      model_type: 'bert', architectures: ['BertForSequenceClassification'], vocab_size: tokenizer.vocabSize, hidden_size: WIDTH,
      num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 2 * WIDTH, max_position_embeddings: 128, type_vocab_size: 2,
      pad_token_id: 0, initializer_range: 0.1, id2label: Object.fromEntries(labels.map((label, i) => [i, label])),
      label2id: Object.fromEntries(labels.map((label, i) => [label, i])),
    }, { tokenizer, seed: SEED, signal });
  },
  async ask(model, text, signal) {
    const [scores] = await model.classify(text, { topK: 3, signal });
    return scores.map(({ label, score }) => `${label} ${(100 * score).toFixed(0)}%`).join(', ');
  },
  look: lookBack,
};

const translator: Recipe = {
  read(text) {
    const rows = halvesOf(text, /\||\t/).map(([source, target]) => ({ source, target }));
    return rows.length > 0 ? { task: 'translation', rows } : null;
  },
  async create(data, signal) {
    const rows = data.rows as { source: string; target: string }[];
    const texts = rows.flatMap(({ source, target }) => [source, target]);
    const tokenizer = await tokenizerOf('word', texts, 4000, ['<pad>', '</s>', '<unk>'], signal);
    return createModel({
      model_type: 'marian', architectures: ['MarianMTModel'], vocab_size: tokenizer.vocabSize, d_model: WIDTH, encoder_layers: 2,
      decoder_layers: 2, encoder_attention_heads: 2, decoder_attention_heads: 2, encoder_ffn_dim: 2 * WIDTH, decoder_ffn_dim: 2 * WIDTH,
      activation_function: 'relu', max_position_embeddings: 64, pad_token_id: 0, eos_token_id: 1, decoder_start_token_id: 0,
      scale_embedding: true, init_std: 0.1,
    }, { tokenizer, seed: SEED, signal });
  },
  ask: (model, text, signal) => model.translate(text, { maxNewTokens: MOST, numBeams: 1, signal }).text(),
  async look(model, text, signal) {
    const ids = model.tokenizer!.encode(text).ids.slice(0, MOST);
    const { sequences: [sequence] } = await model.generate({ inputIds: [ids] }, { maxNewTokens: MOST, numBeams: 1, signal }).result();
    const inputs = { inputIds: [ids], decoderInputIds: [sequence.slice(0, -1)] };
    const { crossAttentions } = await model.forward(inputs, { attentions: true, signal });
    const spelled = (id: number) => model.tokenizer!.tokenOf(id) ?? `#${id}`;
    return { queries: sequence.slice(1).map(spelled), keys: ids.map(spelled), weights: meanOfHeads(crossAttentions!.at(-1)!) };
  },
};

const writer: Recipe = {
  read(text) {
    const rows = linesOf(text);
    return rows.some((row) => row.length > 1) ? { task: 'text-generation', rows } : null;
  },
  async create(data, signal) {
    const tokenizer = await tokenizerOf('char', data.rows as string[], 200, ['<eos>'], signal);
    return createModel({
      model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], vocab_size: tokenizer.vocabSize, n_embd: WIDTH, n_head: 2, n_layer: 2,
      n_positions: 128, initializer_range: 0.1, eos_token_id: 0, bos_token_id: 0,
    }, { tokenizer, seed: SEED, signal });
  },
  async ask(model, text, signal) {
    return text + await model.generate(text, { doSample: false, maxNewTokens: 40, signal }).text();
  },
  look: lookBack,
};

export const RECIPES: Record<Task, Recipe> = { classifier, translator, writer };
