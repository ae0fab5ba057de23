// Which build of the module this machine can run, fetched, compiled and proven once.
import { checkWasmBuild } from './build-id.js';
import { TransformerError, sentence, throwIfAborted, untilAborted } from './errors.js';
import { compileUrl } from './fetch.js';
import { Instance } from './instance.js';
import { compilePart, type Build } from './parts.js';
import { absoluteUrl } from './platform.js';
import type { LoadOptions } from './types.js';
import { toBytes } from './values.js';

export interface Runtime {
  module: WebAssembly.Module;
  build: Build;
  /** Bytes that an instance can have at most. */
  maxMemory: number;
  /** Why a faster build was not chosen. */
  reasons: string[];
}

export type RuntimeOptions = Pick<LoadOptions, 'wasmUrl' | 'wasmBinary' | 'signal'>;

// Modules of one function each: i8x16.popcnt, which came last to SIMD, and i8x16.relaxed_swizzle.
const SIMD = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);
const RELAXED_SIMD = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  15,
  1,
  13,
  0,
  65,
  1,
  253,
  15,
  65,
  2,
  253,
  15,
  253,
  128,
  2,
  11,
);

const unsupported = (message: string, cause?: unknown): TransformerError =>
  new TransformerError('unsupported_platform', message, cause === undefined ? {} : { cause });

function checkPlatform(): void {
  if (typeof WebAssembly === 'undefined') {
    throw unsupported('WebAssembly is missing here. Every browser has it since 2017; some turn it off in a lockdown mode.');
  }
  if (!WebAssembly.validate(SIMD))
    throw unsupported('WebAssembly SIMD is missing. Chrome 91, Firefox 89, Safari 16.4, node 20 or newer have it.');
}

function explained(error: unknown): unknown {
  if (!(error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError)) return error;
  return /disallow|refuse|unsafe-eval|policy|CSP/i.test(error.message)
    ? unsupported(`The page's Content-Security-Policy forbids WebAssembly: script-src needs 'wasm-unsafe-eval' (${error.message})`, error)
    : unsupported(`This engine cannot compile the WebAssembly file (${error.message})`, error);
}

/** The numbers of a build may be wrong though it compiles: node 20's relaxed SIMD is. */
async function proven(module: WebAssembly.Module, reasons: string[]): Promise<Runtime | null> {
  checkWasmBuild(module);
  const { module: entries } = await Instance.of(module);
  return entries.selfTest() ? { module, build: entries.build(), maxMemory: entries.maxMemory(), reasons } : null;
}

async function onlyBuild(module: WebAssembly.Module): Promise<Runtime> {
  const runtime = await proven(module, ['The WebAssembly file was given, so that no other build was looked for.']);
  if (!runtime) throw unsupported('The WebAssembly file that was given computes wrong numbers on this engine; give the baseline build.');
  return runtime;
}

/** Where a build is asked for by the package's own name of it, or by an address that was given. */
const compileBuild = (build: Build, url: string | undefined): Promise<WebAssembly.Module> | null =>
  url ? compileUrl(url) : compilePart(build);

async function bestBuild(baselineUrl: string | undefined, relaxedUrl: string | undefined): Promise<Runtime> {
  const reasons: string[] = [];
  if (WebAssembly.validate(RELAXED_SIMD)) {
    try {
      const relaxed = compileBuild('relaxed-simd', relaxedUrl);
      const runtime = relaxed && (await proven(await relaxed, reasons));
      if (runtime) return runtime;
      reasons.push(relaxed ? 'Relaxed SIMD computes wrong numbers on this engine.' : 'The single file has no relaxed-SIMD build.');
    } catch (error) {
      reasons.push(sentence(`The relaxed-SIMD build could not be used: ${(error as Error).message}`));
    }
  } else {
    reasons.push('This engine has no relaxed SIMD.');
  }
  const runtime = await proven(await compileBuild('simd', baselineUrl)!, reasons);
  if (!runtime) throw unsupported('WebAssembly SIMD computes wrong numbers on this engine.');
  return runtime;
}

/** By URL. A build that failed is tried again at the next load. */
const compiled = new Map<string, Promise<Runtime>>();

function once(key: string, compile: () => Promise<Runtime>): Promise<Runtime> {
  const known = compiled.get(key);
  if (known) return known;
  const fresh = compile().catch((error: unknown) => {
    compiled.delete(key);
    throw explained(error);
  });
  compiled.set(key, fresh);
  return fresh;
}

/**
 * Several loads share one compilation, which an abort of one of them therefore leaves alone. Later loads start another: the server of this
 * one may have fallen silent.
 */
export async function compileRuntime({ wasmUrl, wasmBinary, signal }: RuntimeOptions): Promise<Runtime> {
  throwIfAborted(signal);
  checkPlatform();
  try {
    return await untilAborted(signal, chooseBuild(wasmUrl, wasmBinary));
  } catch (error) {
    if (signal?.aborted) compiled.clear();
    throw error;
  }
}

async function chooseBuild(wasmUrl: LoadOptions['wasmUrl'], wasmBinary: LoadOptions['wasmBinary']): Promise<Runtime> {
  if (wasmBinary !== undefined) {
    try {
      return await onlyBuild(await WebAssembly.compile(toBytes('wasmBinary', wasmBinary) as Uint8Array<ArrayBuffer>));
    } catch (error) {
      throw explained(error);
    }
  }
  if (typeof wasmUrl === 'string' || wasmUrl instanceof URL) {
    const url = absoluteUrl(wasmUrl);
    return once(url, async () => onlyBuild(await compileUrl(url)));
  }
  const baseline = wasmUrl?.baseline && absoluteUrl(wasmUrl.baseline);
  const relaxed = wasmUrl?.relaxed && absoluteUrl(wasmUrl.relaxed);
  return once(`${baseline} ${relaxed}`, () => bestBuild(baseline, relaxed));
}
