// Attention by itself, a head at a time.
import { broadcast, fourSizes, text } from './broadcast.js';
import { breather } from './engine/breather.js';
import { TransformerError, invalidArgument } from './errors.js';
import { checkBoolean, checkChoice, checkCount, checkNumber, checkOptions } from './options.js';
import { bytesOf, piecesInstance, zeros } from './pieces-instance.js';
import type { AttentionOptions, Tensor } from './types.js';
import { checkTensor, toJson } from './values.js';

const OPTIONS = ['mask', 'causal', 'scale', 'bias', 'window', 'softcap', 'device'];

function checkAttentionOptions(options: AttentionOptions): void {
  checkOptions('attention', options, OPTIONS);
  checkBoolean('causal', options.causal);
  checkNumber('scale', options.scale);
  checkNumber('softcap', options.softcap, 0);
  checkCount('window', options.window, 1);
  checkChoice('device', options.device, ['wasm', 'webgpu']);
  if (options.device === 'webgpu') throw new TransformerError('unsupported_platform', "attention: device 'webgpu' is not supported yet");
}

interface Sizes {
  batch: number;
  heads: number;
  kvHeads: number;
  queries: number;
  keys: number;
  width: number;
  valueWidth: number;
}

function sizesOf(query: Tensor, key: Tensor, value: Tensor): Sizes {
  const rank = query.shape.length;
  for (const [name, { shape }] of Object.entries({ query, key, value })) {
    if (shape.length === rank && rank >= 2 && rank <= 4) continue;
    throw invalidArgument(`${name}: shape ${text(shape)} found, [T, D], [H, T, D] or [B, H, T, D] expected, the same for all three`);
  }
  const [q, k, v] = [query, key, value].map(({ shape }) => fourSizes(shape)) as [number[], number[], number[]];
  const [batch, heads, queries, width] = q as [number, number, number, number];
  const [, kvHeads, keys] = k as [number, number, number];
  if (width < 1) throw invalidArgument(`query: shape ${text(query.shape)} found, a last axis of at least 1 expected`);
  if (k[0] !== batch || k[3] !== width || (heads > 0 && !(kvHeads > 0 && heads % kvHeads === 0))) {
    throw invalidArgument(
      `key: shape ${text(key.shape)} does not fit the query's, ${text(query.shape)}: ` +
        'as many items, numbers a head, and heads (or a divisor) expected',
    );
  }
  if (v.slice(0, 3).some((size, axis) => size !== k[axis])) {
    throw invalidArgument(`value: shape ${text(value.shape)} does not fit the key's, ${text(key.shape)}: only the last axis may differ`);
  }
  return { batch, heads, kvHeads, queries, keys, width, valueWidth: v[3]! };
}

const toMask = (mask: Tensor | boolean[]): Tensor =>
  Array.isArray(mask) ? { data: Float32Array.from(mask, (seen) => (seen ? 1 : 0)), shape: [mask.length] } : mask;

/** Rows of another width: filled up with zeros, or cut. */
function withWidth(data: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return data;
  const rows = from > 0 ? data.length / from : 0, result = new Float32Array(rows * to);
  for (let i = 0; i < rows; i++) result.set(data.subarray(i * from, i * from + Math.min(from, to)), i * to);
  return result;
}

/**
 * Scaled dot-product attention: softmax(scale q k^T + bias) v over the keys that a query sees ("Attention Is All You Need", eq. 1). A query
 * that sees none gets zeros. Where queries and keys are not as many, the last query stands at the last key, as with a cache of keys.
 * @param query [T,D], [H,T,D] or [B,H,T,D]
 * @param key [S,D], …; its heads may be fewer, each for as many heads of the query
 * @param value [S,Dv], …
 * @returns output [T,Dv], …, and weights [T,S], …
 */
export async function attention(
  query: Tensor, key: Tensor, value: Tensor, options: AttentionOptions = {},
): Promise<{ output: Tensor; weights: Tensor }> {
  for (const [name, tensor] of Object.entries({ query, key, value })) checkTensor(name, tensor);
  checkAttentionOptions(options);
  const { batch, heads, kvHeads, queries, keys, width, valueWidth } = sizesOf(query, key, value);
  const scores = [batch, heads, queries, keys] as const;
  const mask = options.mask && broadcast('mask', toMask(options.mask), scores);
  const bias = options.bias && broadcast('bias', options.bias, scores);
  const lead = query.shape.slice(0, -2);
  const output = zeros('attention', [...lead, queries, valueWidth]), weights = zeros('attention', [...lead, queries, keys]);

  const size = Math.max(width, valueWidth); // the kernel knows one; zeros change no product
  const settings = toJson({
    queries, keys, size, scale: options.scale ?? 1 / Math.sqrt(width), causal: options.causal ?? false, window: options.window ?? 0,
    softcap: options.softcap ?? 0, bias: bias !== undefined, mask: mask !== undefined,
  });
  /** The rows of head `i` of B * H or B * K. */
  const head = ({ data }: Tensor, i: number, rows: number, cols: number): Float32Array =>
    withWidth(data.subarray(i * rows * cols, (i + 1) * rows * cols), cols, size);

  const breathe = breather(new AbortController().signal);
  const instance = await piecesInstance();
  for (let i = 0; i < batch * heads; i++) {
    const b = Math.floor(i / heads), h = i % heads, kv = b * kvHeads + Math.floor(h / (heads / kvHeads));
    const parts = [head(query, i, queries, width), head(key, kv, keys, width), head(value, kv, keys, valueWidth)];
    if (bias) parts.push(bias(b, h));
    if (mask) parts.push(mask(b, h));
    instance.stage(...parts.map(bytesOf));
    const [made, seen] = instance.call((module) => module.attention(settings));
    output.data.set(withWidth(made.data, size, valueWidth), i * queries * valueWidth);
    weights.data.set(seen.data, i * queries * keys);
    await breathe();
  }
  return { output, weights };
}
