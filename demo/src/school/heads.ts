import type { Tensor } from 'webformer';

/** The mean of the heads of weights [1,H,T,S]: [T,S]. */
export function meanOfHeads({ data, shape: [, heads, rows, columns] }: Tensor): Float32Array {
  const size = rows * columns;
  return Float32Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let head = 0; head < heads; head++) sum += data[head * size + i];
    return sum / heads;
  });
}
