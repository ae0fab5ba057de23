// How a page learns that its worker was ended from outside, or for want of memory, which browsers do not tell: the worker holds a lock as
// long as it lives.
import { isNode } from './platform.js';

/** In the worker: `held` comes once, with the lock's name; without one in node, which tells, and where there are no locks. */
export function holdLock(held: (name?: string) => void): void {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (isNode || !locks) return held();
  const name = `webformer worker ${crypto.randomUUID()}`;
  const forEver = (): Promise<void> => {
    held(name);
    return new Promise(() => undefined);
  };
  locks.request(name, forEver).catch(() => held());
}

/** On the page. It asks for the lock only while there is something to wait for: browsers do not keep a page that waits for a lock. */
export class LockWatch {
  #name: string | undefined;
  #active = false;
  #waiting: AbortController | undefined;

  constructor(private readonly ended: () => void) {}

  name(name: string | undefined): void {
    this.#name = name;
    this.#update();
  }

  hold(active: boolean): void {
    this.#active = active;
    this.#update();
  }

  #update(): void {
    if (!this.#active || this.#name === undefined) {
      this.#waiting?.abort();
      this.#waiting = undefined;
    } else if (!this.#waiting) {
      this.#waiting = new AbortController();
      navigator.locks.request(this.#name, { signal: this.#waiting.signal }, this.ended).catch(() => undefined);
    }
  }
}
