// How far a load is.
import type { Progress } from '../types.js';

/** Messages are at least this far apart, but for the first and last of a file. */
const INTERVAL_MS = 30;

export class ProgressMeter {
  readonly #emit: (progress: Progress) => void;
  readonly #files = new Map<string, { loaded: number; total: number | undefined }>();
  #loaded = 0;
  #total: number | undefined;
  #fraction: number | undefined;
  #last = 0;

  constructor(emit: (progress: Progress) => void) {
    this.#emit = emit;
  }

  /** A file that will be read. */
  expect(file: string, total: number | undefined): void {
    this.#files.set(file, { loaded: 0, total });
  }

  /** From now on there is a fraction: so many bytes are still to come. */
  remaining(bytes: number | undefined): void {
    this.#total = bytes === undefined ? undefined : this.#loaded + bytes;
  }

  read(phase: 'download' | 'cache', file: string, bytes: number): void {
    const state = this.#files.get(file)!;
    const first = state.loaded === 0;
    state.loaded += bytes;
    this.#loaded += bytes;
    const now = performance.now();
    if (!first && state.loaded !== state.total && now - this.#last < INTERVAL_MS) return;
    this.#last = now;
    this.#emit({ phase, file, loaded: state.loaded, total: state.total, fraction: this.#advance() });
  }

  parse(file: string): void {
    this.#emit({ phase: 'parse', file, loaded: this.#loaded, total: this.#total, fraction: this.#advance() });
  }

  calibrate(): void {
    this.#emit({ phase: 'calibrate', loaded: this.#loaded, total: this.#total, fraction: this.#advance() });
  }

  ready(): void {
    this.#emit({ phase: 'ready', loaded: this.#loaded, total: this.#loaded, fraction: 1 });
  }

  /** Never back, also where the files turn out longer than was said, and where a load starts anew. */
  #advance(): number | undefined {
    if (this.#total) this.#fraction = Math.max(this.#fraction ?? 0, Math.min(this.#loaded / this.#total, 1));
    return this.#fraction;
  }
}
