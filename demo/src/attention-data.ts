// What a translation model looks at: the weights of every head, and all that one of them is made of.
import type { Model, ModelOutput, Tensor, Tokenizer } from 'webformer';

/** Who looks at whom: the encoder at the source, the decoder at what is written, or across at the source. */
export const KINDS = ['encoder', 'cross', 'decoder'] as const;
export type Kind = typeof KINDS[number];

/** More would be too small to see. */
export const MAX_TOKENS = 40;

/** One head: weights [T,S], by row. A row is a query, a column a key. */
export interface Head { rows: number; columns: number; weights: Float32Array }

/** One row of a head taken apart. Null: the library does not give it, or the model does more to the scores than scale them. */
export interface Row {
  query: Float32Array;
  /** One a column, as those below. */
  keys: readonly Float32Array[] | null;
  values: readonly Float32Array[] | null;
  dots: readonly number[] | null;
  scale: number;
  visible: readonly boolean[];
  weights: Float32Array;
  /** Sum of weight times value: what the head gives. */
  context: Float32Array;
}

export interface Reading {
  translation: string;
  /** The text was longer than what is shown. */
  cut: boolean;
  layers(kind: Kind): number;
  heads: number;
  head(kind: Kind, layer: number, head: number): Head;
  row(kind: Kind, layer: number, head: number, query: number): Row;
  /** Names of the rows and columns. A row of the decoder is named by the token that is written from it. */
  queries(kind: Kind): readonly string[];
  keys(kind: Kind): readonly string[];
}

const PLACES: Readonly<Record<Kind, string>> = {
  encoder: 'encoder.*.self_attention', cross: 'decoder.*.cross_attention', decoder: 'decoder.*.self_attention',
};
/** How far a recomputed weight may be from the model's, which rounds elsewhere. */
const TOLERANCE = 2e-3;

export const facesOf = (tokenizer: Tokenizer, ids: readonly number[]) =>
  ids.map((id) => tokenizer.decode([id], { skipSpecialTokens: false }).trim() || (tokenizer.tokenOf(id) ?? String(id)));

/** Row `index` of the part of [1,T,parts*size] that belongs to `part`. */
function slice({ data, shape }: Tensor, index: number, part: number, size: number): Float32Array {
  const start = index * shape[2] + part * size;
  return data.subarray(start, start + size);
}

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i], 0);

function softmax(scores: readonly number[], visible: readonly boolean[]): number[] {
  const most = Math.max(...scores.filter((_, i) => visible[i]));
  const powers = scores.map((score, i) => (visible[i] ? Math.exp(score - most) : 0));
  const sum = powers.reduce((all, power) => all + power, 0);
  return powers.map((power) => power / sum);
}

/** Translates `text`, and lets the model look at it once more with everything that it looks at written down. */
export async function readText(model: Model, text: string, signal: AbortSignal): Promise<Reading> {
  const tokenizer = model.tokenizer!;
  const whole = tokenizer.encode(text).ids;
  const source = tokenizer.encode(text, { truncation: { maxLength: MAX_TOKENS } }).ids;
  const inputs = { inputIds: [source] };
  const { sequences: [sequence], texts: [translation] } =
    await model.generate(inputs, { numBeams: 4, maxNewTokens: MAX_TOKENS, signal }).result();
  const read = sequence.slice(0, -1), written = sequence.slice(1);
  const trace = Object.values(PLACES).flatMap((place) => ['query', 'key', 'value', 'context'].map((name) => `${place}.${name}`))
    .filter((name) => !/cross_attention\.(key|value)$/.test(name));    // those of the encoder's output are not to be had
  const output = await model.forward({ ...inputs, decoderInputIds: [read] }, { attentions: true, logits: 'none', trace, signal });
  const target = model.targetTokenizer ?? tokenizer;
  const names = { source: facesOf(tokenizer, source), read: facesOf(target, read), written: facesOf(target, written) };
  return {
    translation, cut: whole.length > source.length,
    heads: attentionsOf(output, 'encoder')[0].shape[1],
    layers: (kind) => attentionsOf(output, kind).length,
    head: (kind, layer, head) => headOf(output, kind, layer, head),
    row: (kind, layer, head, query) => rowOf(output, kind, layer, head, query),
    queries: (kind) => (kind === 'encoder' ? names.source : names.written),
    keys: (kind) => (kind === 'decoder' ? names.read : names.source),
  };
}

const attentionsOf = (output: ModelOutput, kind: Kind): Tensor[] =>
  ({ encoder: output.encoderAttentions!, cross: output.crossAttentions!, decoder: output.decoderAttentions! })[kind];

function headOf(output: ModelOutput, kind: Kind, layer: number, head: number): Head {
  const { data, shape: [, , rows, columns] } = attentionsOf(output, kind)[layer];
  return { rows, columns, weights: data.subarray(head * rows * columns, (head + 1) * rows * columns) };
}

function rowOf(output: ModelOutput, kind: Kind, layer: number, head: number, index: number): Row {
  const { columns, weights: all } = headOf(output, kind, layer, head);
  const heads = attentionsOf(output, kind)[layer].shape[1];
  const traced = (name: string): Tensor | undefined => output.trace![`${PLACES[kind].replace('*', String(layer))}.${name}`];
  const size = traced('query')!.shape[2] / heads;
  /** Of one key for each head, or of one that several heads share. */
  const columnsOf = (tensor: Tensor | undefined) => {
    if (!tensor) return null;
    const part = Math.floor(head / (heads / (tensor.shape[2] / size)));
    return Array.from({ length: columns }, (_, column) => slice(tensor, column, part, size));
  };
  const weights = all.subarray(index * columns, (index + 1) * columns);
  const query = slice(traced('query')!, index, head, size);
  const keys = columnsOf(traced('key'));
  const scale = 1 / Math.sqrt(size);
  const visible = Array.from(weights, (_, column) => kind !== 'decoder' || column <= index);
  const dots = keys && keys.map((key) => dot(query, key));
  const own = dots && softmax(dots.map((value) => value * scale), visible);
  const agrees = own !== null && own.every((weight, i) => Math.abs(weight - weights[i]) < TOLERANCE);
  return {
    query, keys, values: columnsOf(traced('value')), dots: agrees ? dots : null, scale, visible, weights,
    context: slice(traced('context')!, index, head, size),
  };
}
