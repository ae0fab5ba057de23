// Calls on one model, one after the other.
import { abortedBy, type TransformerError } from './errors.js';
import { onAbort } from './on-abort.js';

interface Call {
  start(): void;
  /** Rejects what the caller has of it; what runs of it is told to stop. */
  refuse(error: TransformerError): void;
}

/** Runs calls in the order of their arrival, each after the end of the one before. */
export class CallQueue {
  #waiting: Call[] = [];
  #running: Call | undefined;
  #closed: TransformerError | undefined;

  /**
   * Runs `call` in turn. An abort by the caller, or close(), rejects at once and aborts the signal of a call that runs; the next one has
   * its turn when that has stopped. Rejects with 'aborted' or with the error that the queue was closed by.
   */
  run<R>(signal: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<R>): Promise<R> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(abortedBy(signal));
    return new Promise<R>((resolve, reject) => {
      const stop = new AbortController();
      const own: Call = {
        start: () => {
          this.#running = own;
          const ended = (): void => {
            release();
            this.#running = undefined;
            this.#next();
          };
          call(stop.signal).then(
            (result) => { ended(); resolve(result); },
            (error: unknown) => { ended(); reject(error); },
          );
        },
        refuse: (error) => {
          release();
          reject(error);
          stop.abort(error);
        },
      };
      const release = onAbort(signal, () => {
        this.#waiting = this.#waiting.filter((one) => one !== own);
        own.refuse(abortedBy(signal!));
      });
      this.#waiting.push(own);
      this.#next();
    });
  }

  /** Ends the running call, refuses those that wait and all that will come, with `error`. Closing again changes nothing. */
  close(error: TransformerError): void {
    if (this.#closed) return;
    this.#closed = error;
    this.#running?.refuse(error);
    for (const call of this.#waiting.splice(0)) call.refuse(error);
  }

  #next(): void {
    if (!this.#running) this.#waiting.shift()?.start();
  }
}
