// A generation as the caller sees it: an iterable of items, and a result.
import { TransformerError } from './errors.js';
import type { Generation, GenerationItem, GenerationResult } from './types.js';

/** Starts the work; items go to `emit`, and `left` aborts when the caller leaves the loop. */
export type StartGeneration = (emit: (items: GenerationItem[]) => void, left: AbortController) => Promise<GenerationResult>;

class RunningGeneration implements Generation {
  readonly #items: GenerationItem[] = [];
  readonly #left = new AbortController();
  readonly #result: Promise<GenerationResult>;
  #ended = false;
  #consumed = false;
  #wake: () => void = () => undefined;

  constructor(start: StartGeneration) {
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    this.#result = start((items) => {
      this.#items.push(...items);
      this.#wake();
    }, this.#left);
    // A failure is for those who iterate or ask for the result; nobody has to.
    this.#result.then(end, end);
  }

  result(): Promise<GenerationResult> {
    return this.#result;
  }

  /** The new text, of all sequences one after the other, a line feed between them. */
  async text(): Promise<string> {
    return (await this.#result).texts.join('\n');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<GenerationItem, void, undefined> {
    if (this.#consumed)
      throw new TransformerError('invalid_argument', 'A generation can be iterated once; result() may be asked for any number of times.');
    this.#consumed = true;
    try {
      for (;;) {
        const item = this.#items.shift();
        if (item) yield item;
        else if (this.#ended) break;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      await this.#result;
    } finally {
      this.#left.abort();
    }
  }

  toReadableStream(): ReadableStream<string> {
    const items = this[Symbol.asyncIterator]();
    return new ReadableStream<string>({
      async pull(controller) {
        const { done, value } = await items.next();
        if (done) controller.close();
        else controller.enqueue(value.text);
      },
      async cancel() {
        await items.return();
      },
    });
  }
}

export const startGeneration = (start: StartGeneration): Generation => new RunningGeneration(start);
