// Giving the thread back in the middle of long work: to events, aborts, and other calls.

let resolvers: (() => void)[] = [];
let channel: MessageChannel | undefined;

function openChannel(): MessageChannel {
  const opened = new MessageChannel();
  opened.port1.onmessage = () => resolvers.shift()?.();
  return opened;
}

/**
 * Resolves in a task of its own, at once: timers are held back to 4 ms, and to a second where the page is hidden. In node, an open channel
 * would keep the process from ending, and setImmediate does the same.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') {
      setImmediate(resolve);
      return;
    }
    channel ??= openChannel();
    resolvers.push(resolve);
    channel.port2.postMessage(null);
  });
}
