// Many texts on their way to WebAssembly, from a list or a stream.
import { breather } from './engine/breather.js';
import { invalidArgument, throwIfAborted, untilAborted, type Outcome } from './errors.js';
import type { Instance } from './instance.js';
import { checkText, describe } from './options.js';

const BATCH_CHARACTERS = 1 << 15; // of texts that cross at once: a few milliseconds of work

export type Texts = Iterable<string> | AsyncIterable<string>;

/** Of a list or a stream; a string, which would be an iterable of its characters, is most likely a mistake. */
export function checkTexts(texts: Texts): void {
  if (typeof texts === 'object' && texts !== null && (Symbol.asyncIterator in texts || Symbol.iterator in texts)) return;
  throw invalidArgument(`texts: ${describe(texts)} found, a list or another iterable of strings expected`);
}

const iteratorOf = (texts: Texts): Iterator<string> | AsyncIterator<string> =>
  Symbol.asyncIterator in texts ? texts[Symbol.asyncIterator]() : texts[Symbol.iterator]();

/** Stages the texts in portions, and calls `feed` with the lengths of each. */
export async function feedTexts(
  instance: Instance, texts: Texts, signal: AbortSignal, feed: (lengths: readonly number[]) => Outcome<undefined>,
): Promise<void> {
  const breathe = breather(signal);
  let batch: string[] = [], characters = 0;
  const send = async (): Promise<void> => {
    const lengths = instance.stageTexts(batch);
    instance.call(() => feed(lengths));
    batch = [];
    characters = 0;
    await breathe();
  };
  const iterator = iteratorOf(texts);
  let ended = false;
  try {
    for (let count = 0; ; count++) {
      throwIfAborted(signal);
      const next = iterator.next();
      const { done, value } = 'then' in next ? await untilAborted(signal, next) : next;
      if (done) break;
      checkText(`texts[${count}]`, value);
      batch.push(value);
      characters += value.length;
      if (characters >= BATCH_CHARACTERS) await send();
    }
    ended = true;
    if (batch.length > 0) await send();
  } finally {
    // Not awaited: a stream that hangs would hold the error back.
    if (!ended) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
