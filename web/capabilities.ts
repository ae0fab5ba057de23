// What this machine and page offer.
import { compileRuntime } from './runtime.js';
import type { Capabilities, ModelInfo } from './types.js';
import { VERSION } from './version.js';

/** What came of the GPU, and of the threads that were asked for, for the model that was loaded last. */
let latest: Pick<ModelInfo, 'gpuThreshold' | 'deviceReason' | 'threadsReason'> = {};

export function noteLoaded(info: ModelInfo): void {
  const { gpuThreshold, deviceReason, threadsReason } = info;
  latest = { gpuThreshold, deviceReason, threadsReason };
}

/** Why a model had to do without the worker that it was to have. */
let withoutWorker = '';

export function noteWithoutWorker(reason: string): void {
  withoutWorker = reason;
}

async function webgpuReport(): Promise<Capabilities['webgpu']> {
  const { gpuThreshold: threshold, deviceReason: reason } = latest;
  try {
    const { describeAdapter } = await import('./gpu/device.js');
    const { adapter, features, limits } = await describeAdapter();
    return { available: true, adapter, features, limits, threshold, reason };
  } catch (error) {
    return { available: false, reason: (error as Error).message };
  }
}

/** Which path runs here, and why not a faster one. Compiles WebAssembly, which a later load then need not. */
export async function capabilities(): Promise<Capabilities> {
  const { build, maxMemory, reasons } = await compileRuntime({});
  const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
  return {
    build, maxMemory, version: VERSION, threads: 1, crossOriginIsolated: isolated,
    webgpu: await webgpuReport(),
    reasons: [
      ...reasons,
      latest.threadsReason ?? 'Models run on one thread.',
      ...(withoutWorker ? [`Models run in the thread of the page: ${withoutWorker}.`] : []),
    ],
  };
}
