// What belongs together: JavaScript and WebAssembly of one build of the package.
import { TransformerError } from './errors.js';

/** Put here by wasm/package.mjs: the id of this JavaScript, and those that wasm/split.mjs wrote into the WebAssembly files it is for. */
declare const WEBFORMER_BUILD: { readonly javascript: string; readonly wasm: readonly string[] };

const list = (ids: readonly string[]): string => ids.map((id) => id.slice(0, 8)).join(' or ');

/** The id of this JavaScript. The worker's script has the same, or is from another build. */
export const javascriptBuild = (): string => WEBFORMER_BUILD.javascript;

/** The id in a part of the module, of the link that it is from. */
export function wasmBuild(module: WebAssembly.Module): string {
  const [section] = WebAssembly.Module.customSections(module, 'build');
  return section ? new TextDecoder().decode(section) : 'unknown';
}

const mixed = (what: string, found: string, expected: readonly string[]): TransformerError => {
  const message = `${what} is of build ${list([found])}, and this JavaScript needs ${list(expected)}: they are from two versions of `
    + 'webformer. Give both from the same package, and empty caches that may hold an older one.';
  return new TransformerError('unsupported_platform', message, { details: { found, expected } });
};

export function checkWasmBuild(module: WebAssembly.Module): void {
  const found = wasmBuild(module), { wasm } = WEBFORMER_BUILD;
  if (!wasm.includes(found)) throw mixed('The WebAssembly file', found, wasm);
}

/** What is wrong with a worker that says that it is of build `found`. */
export function workerBuildFault(found = 'unknown'): TransformerError | null {
  const own = javascriptBuild();
  return found === own ? null : mixed("The worker's script", found, [own]);
}
