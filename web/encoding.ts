// Encodings as they come from WebAssembly: flat, and turned into arrays where somebody looks at them.
import type { FlatEncodings } from './module.js';
import type { Encoding } from './types.js';

/** Computes once, at the first look. */
function lazy<T>(compute: () => T): () => T {
  let value: { of: T } | undefined;
  return () => (value ??= { of: compute() }).of;
}

/** Reads the encodings one after the other; the layout is that of write_encoding in wasm/tokenizer_handle.cpp. */
class Reader {
  #at = 0;
  #surfacesAt = 0;

  constructor(private readonly flat: FlatEncodings, private readonly tokenOf: (id: number) => string) {}

  get done(): boolean {
    return this.#at >= this.flat.ints.length;
  }

  next(): Encoding {
    const [count, parts, surfaceCount] = this.#take(3) as unknown as [number, number, number];
    const ids = this.#take(count), offsets = this.#take(2 * count), typeIds = this.#take(count);
    const attention = this.#take(count), special = this.#take(count), words = this.#take(count);
    const surfaces = this.#take(2 * surfaceCount);
    const texts = this.#takeSurfaces(surfaces);
    const overflow = Array.from({ length: parts }, () => this.next());

    const idList = lazy(() => Array.from(ids)), offsetList = lazy(() => pairs(offsets)), typeList = lazy(() => Array.from(typeIds));
    const attentionList = lazy(() => Array.from(attention)), specialList = lazy(() => Array.from(special));
    const wordList = lazy(() => Array.from(words, (word) => (word < 0 ? null : word)));
    const tokenList = lazy(() => this.#tokens(ids, surfaces, texts));
    return {
      get ids() { return idList(); },
      get tokens() { return tokenList(); },
      get offsets() { return offsetList(); },
      get typeIds() { return typeList(); },
      get attentionMask() { return attentionList(); },
      get specialMask() { return specialList(); },
      get wordIds() { return wordList(); },
      overflow,
    };
  }

  #take(count: number): Int32Array {
    return this.flat.ints.subarray(this.#at, (this.#at += count));
  }

  /** The bytes of the texts that the vocabulary does not have. */
  #takeSurfaces(surfaces: Int32Array): Uint8Array {
    const start = this.#surfacesAt;
    for (let i = 1; i < surfaces.length; i += 2) this.#surfacesAt += surfaces[i]!;
    return this.flat.surfaces.subarray(start, this.#surfacesAt);
  }

  #tokens(ids: Int32Array, surfaces: Int32Array, texts: Uint8Array): string[] {
    const tokens = Array.from(ids, this.tokenOf);
    let at = 0;
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (let i = 0; i < surfaces.length; i += 2) tokens[surfaces[i]!] = decoder.decode(texts.subarray(at, (at += surfaces[i + 1]!)));
    return tokens;
  }
}

function pairs(offsets: Int32Array): [number, number][] {
  return Array.from({ length: offsets.length / 2 }, (_, i) => [offsets[2 * i]!, offsets[2 * i + 1]!]);
}

export function readEncodings(flat: FlatEncodings, tokenOf: (id: number) => string): Encoding[] {
  const reader = new Reader(flat, tokenOf);
  const encodings: Encoding[] = [];
  while (!reader.done) encodings.push(reader.next());
  return encodings;
}
