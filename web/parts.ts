// The parts of the module, beside this file: with web/worker-script.ts, the one place that knows where the package's files lie. Bundlers
// find them by exactly this form, a literal name with `import.meta.url` in one `new URL`. The single file has others in their place.
import { compileUrl } from './fetch.js';

export type Build = 'simd' | 'relaxed-simd';

export const baselineUrl = (): URL => new URL('./webformer.wasm', import.meta.url);
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
