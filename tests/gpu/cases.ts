// Arguments for the attention kernel: random ones of every kind, and the edges.
import type { AttentionArgs, Numbers } from '../../web/gpu/attention.js';

/** mulberry32: the same cases in every engine. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Shape {
  /** T */
  queries: number;
  /** S */
  keys: number;
  heads?: number;
  kvHeads?: number;
  headSize?: number;
  /** Rows of a block of keys; all of them where absent. */
  block?: number;
  /** Unused numbers after each row. */
  gap?: number;
  storage?: 'f32' | 'f16';
  /** Numbers lie in [-size, size]. */
  size?: number;
}

/** Halves from 2^-14 to 2 in size, without a rounding of our own: their bits are random. */
const randomHalf = (random: () => number): number => (random() < 0.5 ? 0x8000 : 0) | Math.floor(0x400 + random() * (0x4000 - 0x400));

/** Arguments with random numbers; `changes` come last. */
export function makeArgs(random: () => number, shape: Shape, changes: Partial<AttentionArgs> = {}): AttentionArgs {
  const { queries, keys, heads = 1, kvHeads = heads, headSize = 8, gap = 0, storage = 'f32', size = 1 } = shape;
  const block = shape.block ?? Math.max(keys, 1);
  const floats = (count: number, scale = size): Float32Array => Float32Array.from({ length: count }, () => (2 * random() - 1) * scale);
  const stride = kvHeads * headSize + gap, queryStride = heads * headSize + gap;
  const blocks = (): Numbers[] => Array.from({ length: Math.max(1, Math.ceil(keys / block)) }, () =>
    storage === 'f16' ? Uint16Array.from({ length: block * stride }, () => randomHalf(random)) : floats(block * stride));
  return {
    query: { data: floats(queries * queryStride), rows: queries, stride: queryStride },
    memory: { keys: blocks(), values: blocks(), length: keys, block, stride },
    heads,
    kvHeads,
    headSize,
    scale: 1 / Math.sqrt(headSize),
    ...changes,
  };
}

export const KINDS = ['none', 'causal', 'window', 'causal window', 'padding', 'random mask', 'block mask'] as const;
export type Kind = (typeof KINDS)[number];

/** 1 where the query sees the key. */
function maskOf(kind: Kind, random: () => number, queries: number, keys: number): Uint8Array | undefined {
  const each = (visible: (t: number, s: number) => boolean): Uint8Array =>
    Uint8Array.from({ length: queries * keys }, (_, i) => Number(visible(Math.floor(i / keys), i % keys)));
  const cut = Math.floor(random() * (keys + 1));
  if (kind === 'padding') return each((_, s) => s < cut);
  if (kind === 'random mask') return each(() => random() < 0.5);
  if (kind === 'block mask') return each((t, s) => Math.floor(t / 16) === Math.floor(s / 16)); // packed sequences of 16
  return undefined;
}

/** One of every kind in turn, of a random shape; biases, softcap, f16, blocks and gaps come and go. */
export function randomCase(seed: number): { name: string; args: AttentionArgs } {
  const random = randomFrom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const sometimes = (share: number): boolean => random() < share;
  const kind = KINDS[seed % KINDS.length]!;
  const kvHeads = 1 + below(3), heads = kvHeads * (1 + below(3));
  const headSize = [1 + below(256), [16, 32, 64, 80, 128, 256][below(6)]!, 1 + below(20)][below(3)]!;
  const queries = 1 + below(sometimes(0.3) ? 3 : 70), keys = 1 + below(130);
  const shape: Shape = {
    queries, keys, heads, kvHeads, headSize, block: sometimes(0.5) ? 1 + below(40) : undefined, gap: sometimes(0.3) ? below(6) : 0,
    storage: sometimes(0.3) ? 'f16' : 'f32',
  };
  const floats = (count: number, scale: number): Float32Array => Float32Array.from({ length: count }, () => (2 * random() - 1) * scale);
  const offset = sometimes(0.6) ? below(keys) : 0;
  const relativeOrigin = offset + queries - 1;
  const bias = sometimes(0.3), biasHeads = sometimes(0.5) ? heads : 1;
  const args = makeArgs(random, shape, {
    offset,
    causal: kind.includes('causal'),
    window: kind.includes('window') ? 1 + below(keys) : 0,
    mask: maskOf(kind, random, queries, keys),
    softcap: sometimes(0.3) ? 1 + 30 * random() : 0,
    alibiSlopes: sometimes(0.3) ? floats(heads, 0.5) : undefined,
    relativeBias: sometimes(0.3) ? floats(heads * (relativeOrigin + keys), 2) : undefined,
    relativeOrigin,
    bias: bias ? floats(biasHeads * queries * keys, 2) : undefined,
    biasHeads,
    weights: sometimes(0.3),
  });
  return { name: `${kind} ${JSON.stringify({ seed, ...shape })}`, args };
}
