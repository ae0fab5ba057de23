// What the attention shader is made for, and how its arguments are laid out.

/** Rows of queries, and of keys, that a workgroup has at once. */
export const TILE = 32;
/** Threads of a workgroup: 8 groups of 4 rows by 16 columns. */
export const THREADS = 128;
/** Numbers of a head that the 16 columns of threads take at once, four each. */
export const CHUNK = 64;

/**
 * What the text depends on: as little as pays, since each text is compiled at its first use, which takes a real GPU a few hundredths of a
 * second. All else is a number in `Params`.
 */
export interface ShaderOptions {
  /**
   * How many times CHUNK a head has, rounded up to 1, 2 or 4: the sums of a thread are as many variables, since an array would leave the
   * registers.
   */
  chunks: 1 | 2 | 4;
  /** How keys and values are stored; sums are f32 in any case. */
  storage: 'f32' | 'f16';
  /** Are the head size and the distance between rows multiples of four numbers? */
  aligned: boolean;
}

/** The numbers of one call in the order of the uniform buffer, each four bytes. */
export const PARAMS = {
  query_count: 'u32', // T
  key_count: 'u32', // S
  heads: 'u32', // H
  kv_heads: 'u32', // K
  head_size: 'u32', // D
  query_stride: 'u32',
  key_stride: 'u32',
  offset: 'i32',
  scale: 'f32',
  softcap: 'f32', // 0: none
  causal: 'u32', // a flag
  window: 'i32', // 0: none
  mask: 'u32', // a flag
  alibi: 'u32', // a flag
  relative_origin: 'i32',
  relative_start: 'u32', // in `tables`
  relative_count: 'u32', // 0: none
  bias_heads: 'u32', // 0: no bias
  weights: 'u32', // a flag
} as const satisfies Record<string, 'u32' | 'i32' | 'f32'>;

export type Params = Record<keyof typeof PARAMS, number>;

/** Storage buffers in the order of their bindings, which start at 1. */
export const BINDINGS = ['query', 'keys', 'values', 'results', 'status', 'mask', 'bias', 'tables'] as const;
export type Binding = (typeof BINDINGS)[number];
