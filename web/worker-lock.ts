// How a page learns that its worker was ended from outside, or for want of memory, which browsers do not tell: the worker holds a lock as
// long as it lives. Locks may also be lost with other data of the origin, so that a worker without one is asked for a sign of life.
import { isNode } from './platform.js';

/** In the worker: `held` is told the lock's name; never in node, which tells by itself, and where there are no locks. */
export function holdLock(held: (name: string) => void): void {
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (isNode || !locks) return;
  const name = `webformer worker ${crypto.randomUUID()}`;
  const forEver = (): Promise<void> => {
    held(name);
    return new Promise(() => undefined);
  };
  locks.request(name, forEver).catch(() => undefined);
}

/** A worker answers between two steps of its work, which take milliseconds, or seconds where it reads a large tokenizer. */
const ANSWER_MS = 3000;

/** On the page. It asks for the lock only while there is something to wait for: browsers do not keep a page that waits for a lock. */
export class LockWatch {
  #name: string | undefined;
  #active = false;
  #waiting: AbortController | undefined;
  #unanswered: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ping: () => void,
    private readonly ended: () => void,
  ) {}

  /** The worker lives, and has this lock. */
  ready(name: string | undefined): void {
    clearTimeout(this.#unanswered);
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
      navigator.locks.request(this.#name, { signal: this.#waiting.signal }, () => this.#ask()).catch(() => undefined);
    }
  }

  #ask(): void {
    this.#unanswered = setTimeout(this.ended, ANSWER_MS);
    this.ping();
  }
}
