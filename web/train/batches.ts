// Training data as batches, in the order of a seed.
import { invalidArgument } from '../errors.js';
import { toWasmInputs } from '../forward-inputs.js';
import { checkOptions, describe } from '../options.js';
import type { WasmInputs } from '../module.js';
import type { ForwardInputs, ModelInfo, TrainingData, TrainOptions } from '../types.js';
import { examplesOf, type Example, type Tokenizers } from './examples.js';

export interface Batch {
  inputs: WasmInputs;
  tokens: number;
}

const BATCH_SIZE = 8;
const IGNORED = -100;
const TASKS: readonly TrainingData['task'][] = [
  'text-classification', 'token-classification', 'question-answering', 'translation', 'text-generation', 'masked-lm', 'denoising',
  'span-corruption', 'masked-lm-next-sentence', 'batches',
];

/** mulberry32: numbers in [0, 1), the same for a seed everywhere. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** In an order that the seed and the epoch tell (Fisher & Yates). */
function shuffled<T>(items: readonly T[], seed: number, epoch: number): T[] {
  const random = randomNumbers(Math.imul(seed, 0x9e3779b1) + epoch);
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** Examples as one padded batch. */
function toBatch(examples: readonly Example[], ofTexts: boolean): Batch {
  const matrix = (lists: readonly (readonly number[])[], filler: number): { rows: number; cols: number; data: Int32Array } => {
    const rows = lists.length, cols = Math.max(...lists.map((list) => list.length));
    const data = new Int32Array(rows * cols).fill(filler);
    lists.forEach((list, b) => data.set(list, b * cols));
    return { rows, cols, data };
  };
  const ids = examples.map((example) => example.ids);
  const inputs: WasmInputs = {
    input_ids: matrix(ids, 0),
    attention_mask: matrix(ids.map((list) => list.map(() => 1)), 0),
    labels: matrix(examples.map(({ labels }) => labels), IGNORED),
    ...(examples.some(({ types }) => types) && { token_type_ids: matrix(examples.map(({ ids, types }) => types ?? ids.map(() => 0)), 0) }),
  };
  const tokens = ids.reduce((sum, list) => sum + list.length, 0);
  return { inputs, tokens: ofTexts ? tokens : tokens + examples.reduce((sum, { labels }) => sum + labels.length, 0) };
}

/** Groups of the size that the options ask for: so many examples, or so many tokens with the padding. */
class Grouping {
  #group: Example[] = [];
  #longest = 0;

  constructor(private readonly options: TrainOptions) {}

  /** The group before this example, if it is full without it. */
  add(example: Example): Example[] | null {
    const { batchTokens, batchSize = BATCH_SIZE } = this.options;
    const longest = Math.max(this.#longest, example.ids.length, example.labels.length);
    const full = batchTokens === undefined ? this.#group.length >= batchSize : longest * (this.#group.length + 1) > batchTokens;
    const done = full ? this.end() : null;
    this.#group.push(example);
    this.#longest = done ? Math.max(example.ids.length, example.labels.length) : longest;
    return done;
  }

  end(): Example[] | null {
    const group = this.#group;
    this.#group = [];
    this.#longest = 0;
    return group.length > 0 ? group : null;
  }
}

export interface Batches {
  /** How many batches an epoch has; undefined for a stream. */
  count(epoch: number): number | undefined;
  epoch(epoch: number): Iterable<Batch> | AsyncIterable<Batch>;
}

function readBatch(row: unknown, name: string): Batch {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw invalidArgument(`${name}: ${describe(row)} found, { inputIds, labels, … } expected`);
  const inputs = toWasmInputs(row as ForwardInputs);
  const tokens = (inputs.attention_mask ?? inputs.input_ids)?.data.reduce((sum, id) => sum + (inputs.attention_mask ? id : 1), 0) ?? 0;
  return { inputs, tokens };
}

/** What rows become: one batch each, or examples that are grouped. */
function reader(data: TrainingData, info: ModelInfo, tokenizers: Tokenizers, options: TrainOptions) {
  if (data.task === 'batches') {
    if (options.batchSize !== undefined || options.batchTokens !== undefined)
      throw invalidArgument("train: each row of task 'batches' is a batch, so that there is no batchSize or batchTokens");
    return { read: (row: unknown, name: string): Batch[] => [readBatch(row, name)], group: (items: readonly Batch[]) => items };
  }
  const toExamples = examplesOf(data.task, info, tokenizers), ofTexts = data.task !== 'translation';
  return {
    read: toExamples,
    *group(examples: readonly Example[]): Iterable<Batch> {
      const grouping = new Grouping(options);
      for (const example of examples) {
        const group = grouping.add(example);
        if (group) yield toBatch(group, ofTexts);
      }
      const rest = grouping.end();
      if (rest) yield toBatch(rest, ofTexts);
    },
    async *groupStream(examples: AsyncIterable<Example>): AsyncIterable<Batch> {
      const grouping = new Grouping(options);
      for await (const example of examples) {
        const group = grouping.add(example);
        if (group) yield toBatch(group, ofTexts);
      }
      const rest = grouping.end();
      if (rest) yield toBatch(rest, ofTexts);
    },
  };
}

async function* readStream<T>(rows: AsyncIterable<unknown>, read: (row: unknown, name: string) => T[]): AsyncIterable<T> {
  let index = 0;
  for await (const row of rows) yield* read(row, `rows[${index++}]`);
}

function checkData(data: TrainingData): void {
  checkOptions('train', data, ['task', 'rows']);
  if (data === undefined || !TASKS.includes(data.task))
    throw invalidArgument(`task: ${describe(data?.task)} found, one of ${TASKS.join(', ')} expected`, { option: 'task' });
}

/** Checks all rows of a list before the first step; those of a stream as they come. */
export function batchesOf(data: TrainingData, info: ModelInfo, tokenizers: Tokenizers, options: TrainOptions): Batches {
  checkData(data);
  const rows: unknown = data.rows, { seed = 0, shuffle = Array.isArray(rows) } = options;
  const { read, group, groupStream } = reader(data, info, tokenizers, options) as {
    read(row: unknown, name: string): unknown[];
    group(items: readonly unknown[]): Iterable<Batch>;
    groupStream?(items: AsyncIterable<unknown>): AsyncIterable<Batch>;
  };
  if (Array.isArray(rows)) {
    const items = rows.flatMap((row, i) => read(row, `rows[${i}]`));
    if (items.length === 0) throw invalidArgument('rows: nothing in them to learn from');
    const epoch = (number: number): Iterable<Batch> => group(shuffle ? shuffled(items, seed, number) : items);
    return { epoch, count: (number) => [...epoch(number)].length };
  }
  if (typeof rows !== 'object' || rows === null || !(Symbol.asyncIterator in rows))
    throw invalidArgument(`rows: ${describe(rows)} found, a list or an async iterable expected`);
  if (options.shuffle) throw invalidArgument('shuffle: rows that come as a stream cannot be shuffled', { option: 'shuffle' });
  if ((options.epochs ?? 1) > 1) throw invalidArgument('epochs: rows that come as a stream come once', { option: 'epochs' });
  const stream = readStream(rows as AsyncIterable<unknown>, read);
  return { count: () => undefined, epoch: () => groupStream?.(stream) ?? (stream as AsyncIterable<Batch>) };
}
