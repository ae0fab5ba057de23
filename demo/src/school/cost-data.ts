// Operations and memory of a decoder, by its config; and the time that they take here.
import type { Model } from 'webformer';

export const LENGTHS = [16, 32, 64, 128, 256, 512];
/** Queries and keys of a tile: src/kernels/attention_tiles.h has as many keys in one. */
const TILE = 64;

export interface Shape { layers: number; width: number; inner: number; vocabulary: number; heads: number; kvHeads: number }

export function shapeOf({ info }: Model): Shape {
  const { layers, width, heads, vocabSize: vocabulary, config } = info;
  const inner = Number(config.intermediate_size), kvHeads = Number(config.num_key_value_heads ?? heads);
  return { layers, width, heads, vocabulary, inner, kvHeads };
}

/** Multiplications and additions for `queries` tokens that see `keys`: projections, scores, mixing, a gated feed-forward, the head once. */
export function operationsOf({ layers, width, inner, vocabulary, heads, kvHeads }: Shape, queries: number, keys: number): number {
  const projections = 2 * width * (2 * width + 2 * width * kvHeads / heads);
  const layer = queries * (projections + 4 * keys * width + 6 * width * inner);
  return layers * layer + 2 * width * vocabulary;
}

/** Of f32: all scores of one layer at once; a tile of them a head; the keys and values of all layers. */
export const scoreBytes = ({ heads }: Shape, length: number): number => 4 * heads * length * length;
export const tileBytes = ({ heads }: Shape): number => 4 * heads * TILE * TILE;
export const cacheBytes = ({ layers, width, heads, kvHeads }: Shape, length: number): number =>
  4 * layers * 2 * length * width * kvHeads / heads;

export interface Measured { readonly length: number; readonly whole: number; readonly step: number }

/** Milliseconds of the whole text for one more token, and of one step on the cache. */
export async function measure(model: Model, signal: AbortSignal, told: (measured: Measured) => void): Promise<void> {
  const words = model.tokenizer!.encode('Once upon a time there was a fox who lived in the forest. ').ids;
  const textOf = (length: number) => Array.from({ length }, (_, i) => words[1 + i % (words.length - 1)]);
  await model.forward({ inputIds: [textOf(16)] }, { logits: 'last', signal });
  for (const length of LENGTHS.slice(0, -1)) {
    const ids = textOf(length);
    const times = [];
    for (let i = 0; i < 3; i++) {
      const began = performance.now();
      await model.forward({ inputIds: [ids] }, { logits: 'last', signal });
      times.push(performance.now() - began);
    }
    const steps = 12;
    const { usage } = await model.generate(ids, { maxNewTokens: steps, minNewTokens: steps, doSample: false, signal }).result();
    told({ length, whole: times.sort((a, b) => a - b)[1], step: usage.decodeMs / (usage.newTokens - 1) });
  }
}
