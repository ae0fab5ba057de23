// One download of an address at a time, among all loads of an origin: whoever comes second finds the whole file in the cache.
import { abortedBy } from './errors.js';

/** Where there is no cache, or there are no locks (node, insecure origins), nobody waits. */
const locks = (): LockManager | undefined =>
  typeof caches === 'undefined' ? undefined : (globalThis.navigator as Navigator | undefined)?.locks;

/** The addresses that one load is downloading. Whoever takes a turn gives it back when the file is read; close() gives back the others. */
export class Turns {
  readonly #held = new Map<string, () => void>();
  #closed = false;

  /** Waits until nobody else downloads from `url`. Rejects with 'aborted'. */
  async take(url: string, signal: AbortSignal | undefined): Promise<void> {
    const manager = locks();
    if (!manager || this.#closed || this.#held.has(url)) return;
    await new Promise<void>((resolve, reject) => {
      const hold = (): Promise<void> =>
        new Promise((release) => {
          this.#held.set(url, release);
          if (this.#closed) this.give(url);
          resolve();
        });
      // What refuses a lock for its own reasons, as opaque origins do, does not refuse the file.
      manager.request(`webformer ${url}`, { signal }, hold).catch(() => (signal?.aborted ? reject(abortedBy(signal)) : resolve()));
    });
  }

  give(url: string): void {
    this.#held.get(url)?.();
    this.#held.delete(url);
  }

  close(): void {
    this.#closed = true;
    for (const url of [...this.#held.keys()]) this.give(url);
  }
}
