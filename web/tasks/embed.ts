// Texts to vectors: the last hidden states of a text's tokens, pooled; as sentence-transformers does it.
import { invalidArgument } from '../errors.js';
import type { EmbedOptions, Tensor } from '../types.js';
import { ranked } from './scores.js';
import { mostTokens, rowOf, type TextModel } from './text-model.js';

type Pooling = NonNullable<EmbedOptions['pooling']>;

/** What a folder of sentence-transformers asks for. */
export interface EmbedSettings extends Pick<EmbedOptions, 'pooling' | 'normalize'> {
  /** The most tokens of a text, where sentence_bert_config.json says so. */
  maxLength?: number;
}

/** vector = the pooled rows of hidden [T,C]. */
function pool(hidden: Float32Array, length: number, vector: Float32Array, pooling: Pooling): void {
  const width = vector.length;
  const row = (t: number): Float32Array => hidden.subarray(t * width, (t + 1) * width);
  if (pooling === 'cls') return vector.set(row(0));
  if (pooling === 'last') return vector.set(row(length - 1));
  vector.fill(pooling === 'max' ? -Infinity : 0);
  for (let t = 0; t < length; t++) {
    const token = row(t);
    for (let c = 0; c < width; c++) vector[c] = pooling === 'max' ? Math.max(vector[c]!, token[c]!) : vector[c]! + token[c]! / length;
  }
}

function normalize(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const scale = 1 / Math.max(Math.sqrt(squares), 1e-12);
  for (let c = 0; c < vector.length; c++) vector[c]! *= scale;
}

export async function embed(
  model: TextModel,
  settings: EmbedSettings,
  texts: readonly string[],
  options: Pick<EmbedOptions, 'pooling' | 'normalize'>,
): Promise<Tensor> {
  const { info, tokenizer } = model;
  if (info.kind === 'encoder-decoder')
    throw invalidArgument(`embed: ${info.modelType} is an encoder-decoder, an encoder or decoder expected`);
  const pooling = options.pooling ?? settings.pooling ?? 'mean';
  const normalized = options.normalize ?? settings.normalize ?? true;
  const maxLength = Math.min(mostTokens(model), settings.maxLength ?? Infinity);
  const encodings = tokenizer.encodeBatch(texts, { truncation: { maxLength } });
  const empty = encodings.findIndex(({ ids }) => ids.length === 0);
  if (empty >= 0) throw invalidArgument(`texts[${empty}]: it has no tokens, so that there is nothing to embed`, { index: empty });

  const data = new Float32Array(texts.length * info.width);
  await model.run(encodings, 'none', (output, row, index) => {
    const vector = data.subarray(index * info.width, (index + 1) * info.width);
    pool(rowOf(output.lastHiddenState!, row), encodings[index]!.ids.length, vector, pooling);
    if (normalized) normalize(vector);
  });
  return { data, shape: [texts.length, info.width] };
}

/** Of normalized vectors [1+B,C], the first of which is the query: the others by their cosine with it, the most similar first. */
export function rankBySimilarity({ data, shape }: Tensor): { index: number; score: number }[] {
  const [rows, width] = shape as [number, number];
  const items = Array.from({ length: rows - 1 }, (_, index) => {
    let score = 0;
    for (let c = 0; c < width; c++) score += data[c]! * data[(index + 1) * width + c]!;
    return { index, score };
  });
  return ranked(items);
}
