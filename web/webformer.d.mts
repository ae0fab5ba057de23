// The script that Emscripten writes beside webformer.wasm.
import type { WasmModule } from './module.js';

export default function createModule(options: {
  instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void): object;
  print(line: string): void;
  printErr(line: string): void;
}): Promise<WasmModule>;
