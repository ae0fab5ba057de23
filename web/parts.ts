// The package's own files, and the one place that knows where they lie: beside this file. Bundlers find them by exactly this form, a
// literal name with `import.meta.url` in one `new URL`. In the single file web/single-file/parts.ts is put in this file's place.
import { compileUrl } from './fetch.js';

export type Build = 'simd' | 'relaxed-simd';

const baselineUrl = (): URL => new URL('./webformer.wasm', import.meta.url);
const relaxedUrl = (): URL => new URL('./webformer-relaxed.wasm', import.meta.url);

/** Null where this form of the package has no such build. */
export const compilePart = (build: Build): Promise<WebAssembly.Module> | null =>
  compileUrl((build === 'simd' ? baselineUrl() : relaxedUrl()).href);

/** Training and the small pieces, which wasm/split.mjs keeps out of what every page downloads. */
export function compileExtraPart(build: Build): Promise<WebAssembly.Module> {
  const url =
    build === 'simd' ? new URL('./webformer.extra.wasm', import.meta.url) : new URL('./webformer-relaxed.extra.wasm', import.meta.url);
  return compileUrl(url.href);
}

export const startBrowserWorker = (): Worker => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

/** Node's workers take the same script. Written as above, bundlers would copy it a second time, unbundled. */
export const nodeWorkerUrl = (): URL => new URL('worker.js', baselineUrl());

/** Whether a model that was to be in a worker is rather in the page's own thread than refused, where the page allows no worker. */
export const WORKER_IS_OPTIONAL: boolean = false;
