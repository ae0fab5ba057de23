// The second part of the WebAssembly module: training and the small pieces, which wasm/split.mjs keeps out of what every page downloads.
import { compileUrl } from './fetch.js';
import { Instance } from './instance.js';
import { compileRuntime } from './runtime.js';

type Build = 'simd' | 'relaxed-simd';

/** Bundlers find these two files by exactly this form. */
const urlOf = (build: Build): URL =>
  build === 'simd' ? new URL('./webformer.extra.wasm', import.meta.url) : new URL('./webformer-relaxed.extra.wasm', import.meta.url);

const compiled = new Map<Build, Promise<WebAssembly.Module>>();

function compileExtra(build: Build): Promise<WebAssembly.Module> {
  const known = compiled.get(build);
  if (known) return known;
  const fresh = compileUrl(urlOf(build).href).catch((error: unknown) => {
    compiled.delete(build);
    throw error;
  });
  compiled.set(build, fresh);
  return fresh;
}

/** Brings the second part into an instance, once. The entries of web/module.ts that train, and those of the pieces, need it. */
export async function extend(instance: Instance): Promise<void> {
  if (!instance.extended) await instance.extend(await compileExtra(instance.module.build()));
}

/** A fresh instance with both parts, whose memory goes with it. */
export async function extendedInstance(): Promise<Instance> {
  const instance = await Instance.of((await compileRuntime({})).module);
  await extend(instance);
  return instance;
}
