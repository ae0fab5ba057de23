// The script of the worker: an engine that is asked by messages. It imports nothing dynamically, since some bundlers make one script of it.
import { javascriptBuild } from './build-id.js';
import { toData, toTransformerError } from './errors.js';
import { LocalEngine } from './engine/engine.js';
import { nodeModule } from './platform.js';
import type { FromWorker, Request, ToWorker } from './protocol.js';
import { holdLock } from './worker-lock.js';

/** The other end, in a browser or in node. */
interface Port {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  listen(receive: (message: ToWorker) => void): void;
}

function openPort(): Port {
  const parent = nodeModule<typeof import('node:worker_threads')>('worker_threads')?.parentPort;
  if (parent) {
    return {
      postMessage: (message, transfer) => parent.postMessage(message, transfer as ArrayBuffer[]),
      listen: (receive) => void parent.on('message', receive),
    };
  }
  return {
    postMessage: (message, transfer) => globalThis.postMessage(message, { transfer }),
    listen: (receive) => globalThis.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => receive(data)),
  };
}

/** The memory of all numbers in a result, which moves to the other thread instead of being copied. */
function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of value instanceof Map ? value.values() : Object.values(value)) buffersOf(part, found);
  }
  return found;
}

const engine = new LocalEngine();
const running = new Map<number, AbortController>();
const port = openPort();
const send = (message: FromWorker, transfer: Iterable<Transferable> = []): void => port.postMessage(message, [...transfer]);

async function run(id: number, request: Request): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const result = await engine.run(request, { signal: controller.signal, emit: (event) => send({ type: 'event', id, event }) });
    send({ type: 'done', id, result }, buffersOf(result));
  } catch (error) {
    send({ type: 'failed', id, error: toData(toTransformerError(error)) });
  } finally {
    running.delete(id);
  }
}

const ready = (lock?: string): void => send({ type: 'ready', build: javascriptBuild(), lock });

port.listen((message) => {
  if (message.type === 'run') void run(message.id, message.request);
  else if (message.type === 'abort') running.get(message.id)?.abort();
  else ready();
});
ready();
holdLock(ready);
