// Random numbers that a seed repeats, so that two readers see the same.

/** mulberry32: numbers from 0 to 1. */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many numbers of mean 0 and variance 1 (Box & Muller 1958). */
export function normal(count: number, seed: number): Float32Array {
  const next = uniform(seed);
  return Float32Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()));
}
