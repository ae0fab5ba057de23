// Whether the GPU computes right, and from which length on it is faster than the WebAssembly kernel.
import type { Instance } from '../instance.js';
import type { WasmModel } from '../module.js';
import type { AttentionKernel } from './attention.js';
import { GpuFailure } from './device.js';
import { attend, writeResult } from './wasm-attention.js';

/** Not a whole number of tiles, so that their edges are tried too. */
const CHECKED_LENGTH = 45;
/** Sums in another order, and another exp: some 1e-6 on right hardware. */
const TOLERANCE = 1e-4;

/** One case with every kind of mask and bias, and one with a number that is none. Throws GpuFailure where the GPU is wrong. */
export async function checkKernel(kernel: AttentionKernel, instance: Instance, model: WasmModel): Promise<void> {
  const probe = instance.call(() => model.attentionProbe(CHECKED_LENGTH, true));
  try {
    const args = instance.call(() => probe.args());
    writeResult(instance, args, await attend(kernel, instance, args));
    instance.call(() => probe.run());
    const difference = probe.difference();
    if (!(difference <= TOLERANCE)) throw new GpuFailure(`the GPU computes wrong numbers (off by ${difference.toExponential(1)})`, true);
    const seeing = (args.queryRows - 1) * args.queryStride; // the last query, which sees many keys
    new Float32Array(instance.module.HEAPU8.buffer, args.query, seeing + 1)[seeing] = NaN;
    if ((await attend(kernel, instance, args)).finite) throw new GpuFailure('the GPU hides numbers that are not finite', true);
  } finally {
    probe.delete();
  }
}

/** Milliseconds of one attention of this length: on the GPU with all its transfers, and in WebAssembly. */
export interface Timing {
  length: number;
  gpu: number;
  wasm: number;
}

/** The faster of two runs: the first one makes buffers and fills caches. */
async function fastest(run: () => Promise<void> | void): Promise<number> {
  let best = Infinity;
  for (let i = 0; i < 2; i++) {
    const start = performance.now();
    await run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

export async function timeAttention(kernel: AttentionKernel, instance: Instance, model: WasmModel, length: number): Promise<Timing> {
  const probe = instance.call(() => model.attentionProbe(length, false));
  try {
    const args = instance.call(() => probe.args());
    const gpu = await fastest(async () => writeResult(instance, args, await attend(kernel, instance, args)));
    const wasm = await fastest(() => void instance.call(() => probe.run()));
    return { length, gpu, wasm };
  } finally {
    probe.delete();
  }
}

const SHORTEST = 128, LONGEST = 4096;
/** Numbers of a matrix of the calibration: WebAssembly's memory never shrinks again. */
const MOST_NUMBERS = 2 ** 21;
const BUDGET_MS = 300;
/** The GPU must be clearly faster, since timings vary. */
const MARGIN = 0.8;

export interface Calibration {
  /** The shortest length that was faster on the GPU; Infinity where none was. */
  threshold: number;
  timings: Timing[];
}

/**
 * Doubles the length until the GPU is faster, the model can take no more, or the next one would exceed the time. Both grow with the square
 * of the length, the transfers with the length itself: who is ahead once stays so.
 */
export async function calibrate(longest: number, width: number, time: (length: number) => Promise<Timing>): Promise<Calibration> {
  const timings: Timing[] = [];
  let spent = 0;
  for (let length = SHORTEST; length <= Math.min(longest, LONGEST, MOST_NUMBERS / width); length *= 2) {
    const timing = await time(length);
    timings.push(timing);
    if (timing.gpu < MARGIN * timing.wasm) return { threshold: length, timings };
    const used = 2 * (timing.gpu + timing.wasm);
    spent += used;
    if (spent + 4 * used > BUDGET_MS) break;
  }
  return { threshold: Infinity, timings };
}
