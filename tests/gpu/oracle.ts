// Attention as its formula says, in double precision: what the GPU's numbers are held against.
import type { AttentionArgs, Numbers } from '../../web/gpu/attention.js';

/** The value of a half float from its bits (IEEE 754 binary16). */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

const valueAt = (numbers: Numbers, i: number): number => (numbers instanceof Uint16Array ? fromHalf(numbers[i]!) : numbers[i]!);

function sees({ memory, offset = 0, causal, window = 0, mask }: AttentionArgs, t: number, s: number): boolean {
  const distance = offset + t - s;
  return !(causal && distance < 0) && !(window > 0 && Math.abs(distance) >= window) && !(mask && mask[t * memory.length + s] === 0);
}

function score(args: AttentionArgs, h: number, t: number, s: number): number {
  const { query, memory, heads, kvHeads, headSize, scale, softcap = 0, offset = 0 } = args;
  const key = memory.keys[Math.floor(s / memory.block)]!;
  const keyAt = (s % memory.block) * memory.stride + Math.floor(h / (heads / kvHeads)) * headSize;
  let dot = 0;
  for (let i = 0; i < headSize; i++) dot += query.data[t * query.stride + h * headSize + i]! * valueAt(key, keyAt + i);
  let result = dot * scale;
  if (softcap > 0) result = softcap * Math.tanh(result / softcap);
  const distance = s - (offset + t);
  if (args.alibiSlopes) result += args.alibiSlopes[h]! * distance;
  if (args.relativeBias) result += args.relativeBias[(h * args.relativeBias.length) / heads + distance + (args.relativeOrigin ?? 0)]!;
  if (args.bias) result += args.bias[((args.biasHeads === heads ? h : 0) * query.rows + t) * memory.length + s]!;
  return result;
}

/** Output [T, H*D] and weights [H, T, S]. A query that sees nothing gets zeros. */
export function attentionOracle(args: AttentionArgs): { output: Float64Array; weights: Float64Array } {
  const { query, memory, heads, kvHeads, headSize } = args;
  const output = new Float64Array(query.rows * heads * headSize), weights = new Float64Array(heads * query.rows * memory.length);
  for (let h = 0; h < heads; h++) {
    const column = Math.floor(h / (heads / kvHeads)) * headSize;
    for (let t = 0; t < query.rows; t++) {
      const row = weights.subarray((h * query.rows + t) * memory.length, (h * query.rows + t + 1) * memory.length);
      for (let s = 0; s < memory.length; s++) row[s] = sees(args, t, s) ? score(args, h, t, s) : -Infinity;
      const largest = row.reduce((most, x) => Math.max(most, x), -Infinity);
      if (largest === -Infinity) {
        row.fill(0);
        continue;
      }
      let sum = 0;
      for (let s = 0; s < row.length; s++) sum += row[s] = Math.exp(row[s]! - largest);
      const out = output.subarray(t * heads * headSize + h * headSize, t * heads * headSize + (h + 1) * headSize);
      for (let s = 0; s < row.length; s++) {
        row[s]! /= sum;
        if (row[s] === 0) continue;
        const values = memory.values[Math.floor(s / memory.block)]!, at = (s % memory.block) * memory.stride + column;
        for (let i = 0; i < headSize; i++) out[i]! += row[s]! * valueAt(values, at + i);
      }
    }
  }
  return { output, weights };
}
