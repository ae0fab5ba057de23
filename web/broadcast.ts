// Masks and biases that broadcast to the scores of attention, [B,H,T,S], as arrays do in NumPy.
import { invalidArgument } from './errors.js';
import type { Tensor } from './types.js';
import { checkTensor } from './values.js';

/** Sizes with 1 in front, so that there are four: [B,H,N,D]. */
export const fourSizes = (shape: readonly number[]): number[] => [...Array<number>(4 - shape.length).fill(1), ...shape];

/** As messages have it. */
export const text = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Gives the [T,S] of one head, of a tensor that broadcasts to [B,H,T,S]. */
export type Broadcast = (b: number, h: number) => Float32Array;

export function broadcast(name: string, tensor: Tensor, full: readonly [number, number, number, number]): Broadcast {
  checkTensor(name, tensor);
  const { data, shape } = tensor, [, , queries, keys] = full;
  const sizes = shape.length <= 4 ? fourSizes(shape) : [];
  if (full.some((size, axis) => sizes[axis] !== size && sizes[axis] !== 1)) {
    throw invalidArgument(`${name}: shape ${text(shape)} found, one that broadcasts to [B, H, T, S] expected, ${text(full)} here`);
  }
  const [items, itemHeads, rows, cols] = sizes as [number, number, number, number];
  const strides = [itemHeads * rows * cols, rows * cols, cols, 1].map((stride, axis) => (sizes[axis] === 1 ? 0 : stride));
  return (b, h) => {
    const start = (items > 1 ? b : 0) * strides[0]! + h * strides[1]!;
    if (rows === queries && cols === keys) return data.subarray(start, start + rows * cols);
    const spread = new Float32Array(queries * keys);
    for (let t = 0; t < queries; t++)
      for (let s = 0; s < keys; s++) spread[t * keys + s] = data[start + t * strides[2]! + s * strides[3]!]!;
    return spread;
  };
}
