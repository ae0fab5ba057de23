// Small pieces for people who study or build, which need no model.
import { invalidArgument } from './errors.js';
import { checkCount, describe } from './options.js';
import { zeros } from './pieces-instance.js';
import type { Ids, Tensor } from './types.js';
import { toIdMatrix, toInt32 } from './values.js';

/** `[T,T]`: 1 where a query may see a key, at its own place and before. */
export function causalMask(length: number): Tensor {
  checkCount('length', length);
  const mask = zeros('length', [length, length]);
  for (let t = 0; t < length; t++) mask.data.fill(1, t * length, t * length + t + 1);
  return mask;
}

/** `[B,1,1,T]`: 1 where a token is not padding. */
export function paddingMask(ids: readonly Ids[], padId: number): Tensor {
  const { rows, cols, data } = toIdMatrix('ids', ids);
  return { data: Float32Array.from(data, (id) => (id === padId ? 0 : 1)), shape: [rows, 1, 1, cols] };
}

/** `[T,size]`: one row an id, 1 at its place. */
export function oneHot(ids: Ids, size: number): Tensor {
  checkCount('size', size, 1);
  const list = toInt32('ids', ids);
  const tensor = zeros('size', [list.length, size]);
  list.forEach((id, t) => {
    if (id >= size) throw invalidArgument(`ids[${t}]: ${id} found, less than ${size} expected`, { index: t });
    tensor.data[t * size + id] = 1;
  });
  return tensor;
}

/** a·b / (|a| |b|); 0 where one of them is all zeros. */
export function cosineSimilarity(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (typeof a?.length !== 'number' || a.length !== b?.length) {
    throw invalidArgument(
      `cosineSimilarity: ${a?.length ?? describe(a)} and ${b?.length ?? describe(b)} numbers found, as many in both expected`,
    );
  }
  let dot = 0,
    aa = 0,
    bb = 0;
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return dot === 0 ? 0 : dot / Math.sqrt(aa * bb);
}
