// What this machine and page offer.
import { compileRuntime } from './runtime.js';
import type { Capabilities } from './types.js';
import { VERSION } from './version.js';

/** Which path runs here, and why not a faster one. Compiles WebAssembly, which a later load then need not. */
export async function capabilities(): Promise<Capabilities> {
  const { build, maxMemory, reasons } = await compileRuntime({});
  const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
  return {
    build, maxMemory, version: VERSION, threads: 1, crossOriginIsolated: isolated,
    webgpu: { available: false, reason: 'WebGPU is not used yet.' },
    reasons: [...reasons, 'Models run on one thread.'],
  };
}
