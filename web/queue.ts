// Calls on one model, one after the other.
import { TransformerError, abortedBy } from './errors.js';

interface Waiting {
  start(): void;
  refuse(error: TransformerError): void;
}

/** Runs calls in the order of their arrival, each after the end of the one before. */
export class CallQueue {
  #waiting: Waiting[] = [];
  #running = false;
  #closed: TransformerError | undefined;
  readonly #closing = new AbortController();

  /**
   * Runs `call` in turn. Its signal aborts when the caller's does or the queue is closed; a call whose turn has not come is then refused at
   * once. Rejects with 'aborted' or with the error that the queue was closed by.
   */
  run<R>(signal: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(abortedBy(signal));
    return new Promise<R>((resolve, reject) => {
      const abort = new AbortController();
      const settle = (): void => {
        signal?.removeEventListener('abort', onAbort);
        this.#closing.signal.removeEventListener('abort', onClose);
      };
      const waiting: Waiting = {
        start: () => {
          this.#running = true;
          const ended = (): void => {
            settle();
            this.#running = false;
            this.#next();
          };
          call(abort.signal).then(
            (result) => { ended(); resolve(result); },
            (error: unknown) => { ended(); reject(this.#reasonOf(error, signal)); },
          );
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      const onAbort = (): void => {
        const at = this.#waiting.indexOf(waiting);
        if (at < 0) return abort.abort(signal!.reason);
        this.#waiting.splice(at, 1);
        waiting.refuse(abortedBy(signal!));
      };
      const onClose = (): void => abort.abort(this.#closed);
      signal?.addEventListener('abort', onAbort);
      this.#closing.signal.addEventListener('abort', onClose);
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  /** Ends the running call, refuses those that wait and all that will come, with `error`. Closing again changes nothing. */
  close(error: TransformerError): void {
    if (this.#closed) return;
    this.#closed = error;
    this.#closing.abort();
    for (const waiting of this.#waiting.splice(0)) waiting.refuse(error);
  }

  #next(): void {
    if (!this.#running) this.#waiting.shift()?.start();
  }

  /** A call that ended because of an abort says whose it was. */
  #reasonOf(error: unknown, signal: AbortSignal | undefined): unknown {
    if (!(error instanceof TransformerError) || error.code !== 'aborted') return error;
    if (this.#closed) return this.#closed;
    return signal?.aborted ? abortedBy(signal) : error;
  }
}
