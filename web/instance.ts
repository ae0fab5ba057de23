// One instance of the WebAssembly module, with a memory of its own.
import createModule from './webformer.mjs';
import { wasmBuild } from './build-id.js';
import { TransformerError, unwrap, type Outcome } from './errors.js';
import type { WasmModule } from './module.js';

/** Lone surrogates become U+FFFD in UTF-8, whose units of UTF-16 take three bytes at most. */
const mostBytes = (text: string): number => text.length * 3;

export class Instance {
  #crash: TransformerError | undefined;

  private constructor(
    readonly module: WasmModule,
    private readonly exports: WebAssembly.Exports,
    private readonly compiled: WebAssembly.Module,
  ) {}

  static async of(compiled: WebAssembly.Module): Promise<Instance> {
    let exports: WebAssembly.Exports = {};
    const module = await new Promise<WasmModule>((resolve, reject) => {
      createModule({
        instantiateWasm(imports, receive) {
          WebAssembly.instantiate(compiled, imports).then((instance) => {
            ({ exports } = instance);
            receive(instance, compiled);
          }, reject);
          return {};
        },
        print: () => undefined,
        printErr: () => undefined,
      }).then(resolve, reject);
    });
    return new Instance(module, exports, compiled);
  }

  /** Adds the second part of the module, which has its code in the first one's table and memory: see wasm/split.mjs. */
  async extend(extra: WebAssembly.Module): Promise<void> {
    const [first, second] = [this.compiled, extra].map(wasmBuild);
    if (first !== second) {
      const message = `The WebAssembly file in use is of build ${first}, and the one that adds training to it of ${second}; `
        + 'give both from the same package';
      throw new TransformerError('unsupported_platform', message, { details: { first, second } });
    }
    await WebAssembly.instantiate(extra, { first: this.exports as WebAssembly.ModuleImports });
  }

  /** Whether it trapped, so that every call fails. */
  get crashed(): boolean {
    return this.#crash !== undefined;
  }

  /**
   * Runs an entry of the module. What it throws past its own border is a trap; the stack pointer is then lost, so that no later call could
   * be trusted.
   */
  call<T>(entry: (module: WasmModule) => Outcome<T>): T {
    if (this.#crash) throw this.#crash;
    let outcome: Outcome<T>;
    try {
      outcome = entry(this.module);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
      const message = `WebAssembly stopped (${error.message}); what lived in this instance is lost, and a new load gets a fresh one`;
      this.#crash = new TransformerError('worker_crashed', message, { cause: error });
      throw this.#crash;
    }
    return unwrap(outcome);
  }

  /** Copies bytes to where the next entry reads them. */
  stage(...parts: readonly Uint8Array[]): number {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    let at = this.#reserve(length);
    for (const part of parts) {
      this.module.HEAPU8.set(part, at);
      at += part.length;
    }
    return length;
  }

  /** The same with texts as UTF-8; returns the length of each in bytes. */
  stageTexts(texts: readonly string[]): number[] {
    const encoder = new TextEncoder();
    const start = this.#reserve(texts.reduce((sum, text) => sum + mostBytes(text), 0));
    const heap = this.module.HEAPU8;
    let at = start;
    return texts.map((text) => {
      const { written } = encoder.encodeInto(text, heap.subarray(at, at + mostBytes(text)));
      at += written;
      return written;
    });
  }

  #reserve(size: number): number {
    return this.call((module) => module.stage(size));
  }
}
