// Queries and keys of a sentence before any position is in them, and what each way of telling positions makes of their scores.
// The weights are those of the first layer of the tale teller, a LLaMA: its embeddings know no position, it turns queries and keys (RoPE).
import { attention, createLayer, positionalEncoding, type Layer, type Model, type Tensor } from 'webformer';
import { allItems, openModel } from '../models';
import { weightOf } from './weights';

export const MAX_TOKENS = 14;
export const SCORE_KINDS = ['none', 'sinusoidal', 'rope', 'alibi', 't5'] as const;
export type ScoreKind = typeof SCORE_KINDS[number];

export interface Sentence {
  readonly model: Model;
  readonly tokens: string[];
  readonly ids: number[];
  readonly cut: boolean;
  readonly embedding: Tensor;
}

export async function openTales(): Promise<Model> {
  return openModel(allItems().find(({ id }) => id === 'tales')!);
}

async function readSentence(model: Model, text: string, signal: AbortSignal): Promise<Sentence> {
  const { ids, tokens } = model.tokenizer!.encode(text, { addSpecialTokens: false });
  const kept = ids.slice(0, MAX_TOKENS);
  const { hiddenStates } = await model.forward({ inputIds: [kept] }, { hiddenStates: true, logits: 'none', signal });
  const [embedding] = hiddenStates!;
  return {
    model, ids: kept, cut: ids.length > MAX_TOKENS, embedding: { data: embedding.data, shape: embedding.shape.slice(1) },
    tokens: tokens.slice(0, MAX_TOKENS).map((token) => token.replace(/^[Ġ▁]/, '·')),
  };
}

let last: { text: string; sentence: Sentence } | null = null;

/** The sentence as the tale teller reads it, once for all the figures that show it. */
export async function readForTales(text: string, signal: AbortSignal): Promise<Sentence> {
  const model = await openTales();
  if (last?.text === text && last.sentence.model === model) return last.sentence;
  const sentence = await readSentence(model, text, signal);
  last = { text, sentence };
  return sentence;
}

export interface Projections { norm: Layer; query: Layer; key: Layer; heads: number; size: number }

const projections = new WeakMap<Model, Promise<Projections>>();

/** RMSNorm and the two linears that make queries and keys. */
export function projectionsOf(model: Model): Promise<Projections> {
  const make = async (): Promise<Projections> => {
    const { width, heads, config } = model.info;
    const part = async (name: string) => new Map([['weight', (await weightOf(model, `layers.0.${name}.weight`))!]]);
    const linear = { in_features: width, out_features: width, bias: false };
    return {
      heads, size: width / heads,
      norm: await createLayer('rmsNorm', { normalized_shape: width, eps: config.rms_norm_eps }, await part('input_layernorm')),
      query: await createLayer('linear', linear, await part('self_attn.q_proj')),
      key: await createLayer('linear', linear, await part('self_attn.k_proj')),
    };
  };
  if (!projections.has(model)) projections.set(model, make());
  return projections.get(model)!;
}

/** The part [T,d] of a head. */
export const headOf = ({ data, shape: [rows, width] }: Tensor, head: number, size: number): Tensor => {
  const part = new Float32Array(rows * size);
  for (let t = 0; t < rows; t++) part.set(data.subarray(t * width + head * size, t * width + (head + 1) * size), t * size);
  return { data: part, shape: [rows, size] };
};

/** Turns the pairs (i, i + size/2) of each row by the angles of its position, as LLaMA does. */
export function turned({ data, shape: [rows, size] }: Tensor, table: Tensor): Tensor {
  const half = size / 2, result = new Float32Array(data.length);
  for (let t = 0; t < rows; t++) {
    for (let i = 0; i < half; i++) {
      const cos = table.data[t * half + i], sin = table.data[rows * half + t * half + i];
      const a = data[t * size + i], b = data[t * size + half + i];
      result[t * size + i] = a * cos - b * sin;
      result[t * size + half + i] = b * cos + a * sin;
    }
  }
  return { data: result, shape: [rows, size] };
}

/** Embeddings brought to a root mean square of 1, as sqrt(d) does in the paper, with the table of sines added. */
export function withSinusoids({ data, shape: [rows, width] }: Tensor, table: Tensor): Tensor {
  const rms = Math.sqrt(data.reduce((sum, value) => sum + value * value, 0) / data.length);
  return { data: data.map((value, i) => value / rms + table.data[i]), shape: [rows, width] };
}

/** T5 learns a number for each bucket. None of the page's models is a T5: here it is -strength * ln(1 + the bucket's least distance). */
export function bucketBias(table: Tensor, strength: number): Tensor {
  const [rows] = table.shape, least = new Map<number, number>();
  table.data.forEach((bucket, i) => {
    const distance = Math.abs(i % rows - Math.floor(i / rows));
    least.set(bucket, Math.min(least.get(bucket) ?? Infinity, distance));
  });
  return { data: table.data.map((bucket) => -strength * Math.log1p(least.get(bucket)!)), shape: table.shape };
}

export interface Projected { readonly query: Tensor; readonly key: Tensor; readonly bias?: Tensor }

/** Queries and keys [T,d] of a head with positions in them, or the bias [T,T] that stands for positions. */
export async function projected(kind: ScoreKind, sentence: Sentence, head: number, strength = 0): Promise<Projected> {
  const layers = await projectionsOf(sentence.model);
  const { heads, size } = layers, length = sentence.ids.length, { embedding } = sentence;
  const [, width] = embedding.shape;
  const x = kind === 'sinusoidal' ? withSinusoids(embedding, await positionalEncoding('sinusoidal', { length, width })) : embedding;
  const { output: input } = await layers.norm.forward({ input: x });
  const part = async (layer: Layer) => headOf((await layer.forward({ input })).output, head, size);
  const query = await part(layers.query), key = await part(layers.key);
  if (kind === 'rope') {
    const table = await positionalEncoding('rope', { length, width: size });
    return { query: turned(query, table), key: turned(key, table) };
  }
  if (kind === 't5') return { query, key, bias: bucketBias(await positionalEncoding('t5', { length }), strength) };
  if (kind !== 'alibi') return { query, key };
  const { data } = await positionalEncoding('alibi', { length, heads });
  return { query, key, bias: { data: data.slice(head * length * length, (head + 1) * length * length), shape: [length, length] } };
}

export interface Scored { readonly scores: Float32Array; readonly weights: Float32Array }

/** Scores q k / sqrt(d) + bias and weights [T,T] of a head that looks back only. */
export async function scoresWith(kind: ScoreKind, sentence: Sentence, head: number, strength: number): Promise<Scored> {
  const { query, key, bias } = await projected(kind, sentence, head, strength);
  const { weights } = await attention(query, key, key, { causal: true, bias });
  const [length, size] = query.shape;
  const scores = new Float32Array(length * length).fill(-Infinity);
  for (let t = 0; t < length; t++) {
    for (let s = 0; s <= t; s++) {
      let dot = 0;
      for (let i = 0; i < size; i++) dot += query.data[t * size + i] * key.data[s * size + i];
      scores[t * length + s] = dot / Math.sqrt(size) + (bias?.data[t * length + s] ?? 0);
    }
  }
  return { scores, weights: weights.data };
}
