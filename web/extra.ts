// The second part of the WebAssembly module: training and the small pieces, which wasm/split.mjs keeps out of what every page downloads.
import { Instance } from './instance.js';
import { compileExtraPart, type Build } from './parts.js';
import { compileRuntime } from './runtime.js';

const compiled = new Map<Build, Promise<WebAssembly.Module>>();

function compileExtra(build: Build): Promise<WebAssembly.Module> {
  const known = compiled.get(build);
  if (known) return known;
  const fresh = compileExtraPart(build).catch((error: unknown) => {
    compiled.delete(build);
    throw error;
  });
  compiled.set(build, fresh);
  return fresh;
}

const extending = new WeakMap<Instance, Promise<void>>();

/** Brings the second part into an instance, once, however many ask. The entries of web/module.ts that train or make pieces need it. */
export function extend(instance: Instance): Promise<void> {
  const known = extending.get(instance);
  if (known) return known;
  const fresh = compileExtra(instance.module.build()).then((extra) => instance.extend(extra));
  extending.set(instance, fresh);
  fresh.catch(() => extending.delete(instance));
  return fresh;
}

/** A fresh instance with both parts, whose memory goes with it. */
export async function extendedInstance(): Promise<Instance> {
  const instance = await Instance.of((await compileRuntime({})).module);
  await extend(instance);
  return instance;
}
