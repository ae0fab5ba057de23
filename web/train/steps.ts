// The steps of a training as they come, for whoever follows them.
import { TransformerError, linked } from '../errors.js';
import type { TrainingRun, TrainingStep } from '../types.js';

type Result = Awaited<ReturnType<TrainingRun['result']>>;
/** Trains until the end, or until `signal` aborts; gives each step to `emit`. */
export type Work = (emit: (step: TrainingStep) => void, signal: AbortSignal) => Promise<Result>;

/** Needs to be followed by nobody. Leaving the loop over its steps ends it. */
export class RunningTraining implements TrainingRun {
  readonly #steps: TrainingStep[] = [];
  readonly #left = new AbortController();
  readonly #result: Promise<Result>;
  #ended = false;
  #consumed = false;
  #wake: () => void = () => undefined;

  /** @param checkpoint the state after the step that runs now, or after the last */
  constructor(work: Work, signal: AbortSignal | undefined, readonly checkpoint: () => Promise<Uint8Array>) {
    const emit = (step: TrainingStep): void => {
      this.#steps.push(step);
      this.#wake();
    };
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    this.#result = linked(signal, this.#left, () => work(emit, this.#left.signal));
    this.#result.then(end, end); // a failure is for those who iterate or ask for the result
  }

  result(): Promise<Result> {
    return this.#result;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrainingStep, void, undefined> {
    if (this.#consumed)
      throw new TransformerError('invalid_argument', 'A training can be iterated once; result() may be asked for any number of times.');
    this.#consumed = true;
    try {
      for (;;) {
        const step = this.#steps.shift();
        if (step) yield step;
        else if (this.#ended) break;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      await this.#result;
    } finally {
      this.#left.abort();
    }
  }
}
