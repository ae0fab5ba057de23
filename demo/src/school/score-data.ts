// Products of random queries and keys, and what softmax makes of them.
import { attention, createLayer, type Tensor } from 'webformer';
import { normal } from './random';

export const SIZES = [2, 4, 8, 16, 32, 64, 128, 256, 512];
const ROWS = 64;

const drawn = (rows: number, size: number, seed: number): Tensor => ({ data: normal(rows * size, seed), shape: [rows, size] });

/** q k for 64 random queries and as many keys of that size, by a linear layer whose rows are the keys. */
export async function productsOf(size: number): Promise<Float32Array> {
  const weights = new Map([['weight', drawn(ROWS, size, size + 1)]]);
  const keys = await createLayer('linear', { in_features: size, out_features: ROWS, bias: false }, weights);
  const { output } = await keys.forward({ input: drawn(ROWS, size, size) });
  keys.dispose();
  return output.data;
}

export function varianceOf(values: Float32Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

export const KEYS = 12;

export interface Row { readonly weights: Float32Array; readonly scores: Float32Array; readonly slope: number; readonly entropy: number }

/** What can be said of a row of weights: p (1 - p) is how much a weight moves when its score does; entropy in bits. */
export function measuresOf(weights: Float32Array): { slope: number; entropy: number } {
  const slope = Math.max(...weights.map((p) => p * (1 - p)));
  return { slope, entropy: weights.reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0) };
}

/** One random query over twelve random keys; without `isScaled`, the scale is 1. */
export async function rowOf(size: number, isScaled: boolean, seed: number): Promise<Row> {
  const query = drawn(1, size, seed), key = drawn(KEYS, size, seed + 1000);
  const { weights } = await attention(query, key, key, isScaled ? {} : { scale: 1 });
  const scale = isScaled ? 1 / Math.sqrt(size) : 1;
  const scores = Float32Array.from({ length: KEYS }, (_, s) =>
    scale * query.data.reduce((sum, value, i) => sum + value * key.data[s * size + i], 0));
  return { weights: weights.data, scores, ...measuresOf(weights.data) };
}
