// The kernel against the oracle, as one module for node and for a page.
import { AttentionKernel, type AttentionArgs } from '../../web/gpu/attention.js';
import { Device } from '../../web/gpu/device.js';
import { makeArgs, randomCase, randomFrom, type Shape } from './cases.js';
import { attentionOracle } from './oracle.js';

export { AttentionKernel, Device, makeArgs, randomFrom, randomCase, attentionOracle };

function worstOf(actual: Float32Array, expected: Float64Array): number {
  if (actual.length !== expected.length) return Infinity;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i]! - expected[i]!) / Math.max(1, Math.abs(expected[i]!));
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

export interface Comparison {
  name: string;
  /** The largest difference, relative to numbers above 1. */
  worst: number;
  finite: boolean;
}

export async function compare(kernel: AttentionKernel, name: string, args: AttentionArgs): Promise<Comparison> {
  const { output, weights, finite } = await kernel.run(args);
  const expected = attentionOracle(args);
  const worst = Math.max(worstOf(output, expected.output), weights ? worstOf(weights, expected.weights) : 0);
  return { name, worst, finite };
}

/** Random cases with seeds from `first`; every kind of mask in turn. */
export async function compareRandom(kernel: AttentionKernel, first: number, count: number): Promise<Comparison[]> {
  const results: Comparison[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const { name, args } = randomCase(seed);
    results.push(await compare(kernel, name, args));
  }
  return results;
}

const HIDDEN = -Infinity;

const EDGES: readonly [string, Shape, Partial<AttentionArgs>?][] = [
  ['no query', { queries: 0, keys: 5 }],
  ['no key', { queries: 5, keys: 0 }, { weights: true }],
  ['one query and one key', { queries: 1, keys: 1 }, { weights: true }],
  ['one query of 4097 keys', { queries: 1, keys: 4097, heads: 2, headSize: 16, block: 32 }, { offset: 4096, causal: true }],
  ['33 queries of 4097 keys', { queries: 33, keys: 4097, headSize: 8 }, { offset: 4064, causal: true, window: 100 }],
  ['head size 1', { queries: 40, keys: 40, heads: 3, headSize: 1 }],
  ['head size 3', { queries: 40, keys: 40, heads: 3, headSize: 3 }],
  ['head size 256', { queries: 40, keys: 70, headSize: 256 }],
  ['a window wider than any place', { queries: 9, keys: 9 }, { window: 2 ** 40 }],
  ['queries that stand before all keys', { queries: 20, keys: 20 }, { causal: true, offset: -10, weights: true }],
  ['queries that stand behind all keys of their window', { queries: 20, keys: 20 }, { causal: true, window: 4, offset: 17, weights: true }],
  ['rows that see nothing', { queries: 4, keys: 40 }, { mask: Uint8Array.from({ length: 160 }, (_, i) => Number(i < 40)), weights: true }],
  ['a bias of minus infinity', { queries: 2, keys: 3 }, { bias: Float32Array.of(0, HIDDEN, 1, HIDDEN, HIDDEN, HIDDEN), weights: true }],
  ['scores of a million', { queries: 40, keys: 70, headSize: 64, size: 1000 }, { scale: 1 }],
  ['scores of 1e30', { queries: 10, keys: 70, headSize: 4, size: 1e15 }, { scale: 1 }],
  ['scores far below zero', { queries: 10, keys: 70 }, { bias: new Float32Array(700).fill(-1e3) }],
  ['scores of a million under a softcap', { queries: 40, keys: 70, headSize: 64, size: 1000 }, { scale: 1, softcap: 50 }],
];

export async function compareEdges(kernel: AttentionKernel): Promise<Comparison[]> {
  const results: Comparison[] = [];
  for (const [i, [name, shape, changes]] of EDGES.entries()) {
    results.push(await compare(kernel, name, makeArgs(randomFrom(i), shape, changes)));
  }
  return results;
}

/** Is a bad number in the query, a key or a value reported? Each of these must be. */
export async function findUnreported(kernel: AttentionKernel): Promise<string[]> {
  const unreported: string[] = [];
  for (const bad of [NaN, Infinity]) {
    for (const where of ['query', 'key', 'value']) {
      for (const softcap of [0, 30]) {
        const args = makeArgs(randomFrom(7), { queries: 40, keys: 70, headSize: 12 }, { softcap });
        const numbers = { query: args.query.data, key: args.memory.keys[0]!, value: args.memory.values[0]! }[where]!;
        numbers[12 * 33 + 5] = bad;
        // An infinite product under a softcap is the cap itself: a right and finite score.
        const fine = bad === Infinity && where !== 'value' && softcap > 0;
        if ((await kernel.run(args)).finite !== fine) unreported.push(`${bad} in a ${where}, softcap ${softcap}`);
      }
    }
  }
  return unreported;
}
