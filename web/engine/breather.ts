// Long loops that give the thread back now and then.
import { throwIfAborted } from '../errors.js';
import { nextTask } from '../yield.js';

const BUDGET_MS = 20;

/** A function to be awaited in a loop: once the time is over, others have their turn. Rejects with 'aborted'. */
export function breather(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < BUDGET_MS) return;
    await nextTask();
    throwIfAborted(signal);
    since = performance.now();
  };
}
