// One listener a signal, however many calls it is given to: from the eleventh on, node takes listeners for a leak and says so.

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `act` when `signal` is aborted; the function that it gives takes that back. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (!signal) return () => undefined;
  const acts = waiting.get(signal) ?? listen(signal);
  acts.add(act);
  return () => void acts.delete(act);
}

/** The listener holds nothing but what still waits, so that it may stay for as long as the signal does. */
function listen(signal: AbortSignal): Set<() => void> {
  const acts = new Set<() => void>();
  waiting.set(signal, acts);
  signal.addEventListener('abort', () => acts.forEach((act) => act()), { once: true });
  return acts;
}
