// An engine in a worker: requests go there as messages, and a worker that dies takes no promise with it.
import { workerBuildFault } from './build-id.js';
import { TransformerError, fromData } from './errors.js';
import { onAbort } from './on-abort.js';
import { absoluteUrl, nodeModule } from './platform.js';
import type { Engine, EngineEvent, FromWorker, Request, RequestContext, RequestOf, Results, ToWorker } from './protocol.js';
import { LockWatch } from './worker-lock.js';
import { nodeWorkerUrl, startBrowserWorker } from './worker-script.js';

/** What workers of browsers and of node have in common, once node's is dressed like a browser's. */
interface WorkerPort {
  postMessage(message: ToWorker): void;
  terminate(): unknown;
  /** Whether there is something to wait for: node ends when there is not. */
  hold(active: boolean): void;
  listen(on: { message(data: FromWorker): void; failure(reason: string): void }): void;
}

function browserWorker(url: string | URL | undefined): WorkerPort {
  if (typeof Worker === 'undefined')
    throw new TransformerError('unsupported_platform', 'Workers are missing here; load with worker: false');
  let worker: Worker;
  try {
    worker = url ? new Worker(url, { type: 'module' }) : startBrowserWorker();
  } catch (error) {
    const message =
      `The worker could not be started (${(error as Error).message}). Its script must come from the page's own origin: ` +
      "copy the package's files there, or name it by workerUrl, or load with worker: false.";
    throw new TransformerError('unsupported_platform', message, { cause: error });
  }
  let fail: (reason: string) => void = () => undefined;
  const watch = new LockWatch(() => worker.postMessage({ type: 'ping' }), () => fail('it was ended from outside, or for want of memory'));
  return {
    postMessage: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    hold: (active) => watch.hold(active),
    listen({ message, failure }) {
      fail = failure;
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'ready') watch.ready(data.lock);
        message(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        failure(event.message ?? '');  // an Event without one where the script did not come
      };
      worker.onmessageerror = () => failure('a message could not be read');
    },
  };
}

function nodeWorker(url: string | URL | undefined): WorkerPort {
  const { Worker: NodeWorker } = nodeModule<typeof import('node:worker_threads')>('worker_threads')!;
  const worker = new NodeWorker(url ? new URL(absoluteUrl(url)) : nodeWorkerUrl());
  return {
    postMessage: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    hold: (active) => (active ? worker.ref() : worker.unref()),
    listen({ message, failure }) {
      worker.on('message', message);
      worker.on('error', (error) => failure(error.message));
      worker.on('exit', (status) => failure(`it ended with status ${status}`));
    },
  };
}

const startWorker = (url: string | URL | undefined): WorkerPort => (nodeModule('worker_threads') ? nodeWorker(url) : browserWorker(url));

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  emit(event: EngineEvent): void;
}

/** A model that was forgotten without dispose() must not keep its worker for ever. */
const forgotten = new FinalizationRegistry<WorkerPort>((worker) => worker.terminate());

class Link {
  readonly pending = new Map<number, Pending>();
  /** Whether the script ran, once that is known. */
  readonly started: Promise<boolean>;
  #reportStart!: (ran: boolean) => void;
  #started = false;
  ended: TransformerError | undefined;

  constructor(readonly worker: WorkerPort) {
    this.started = new Promise((resolve) => (this.#reportStart = resolve));
    worker.listen({
      message: (message) => this.#receive(message),
      failure: (reason) => this.end(this.#failure(reason)),
    });
  }

  end(error: TransformerError): void {
    if (this.ended) return;
    this.ended = error;
    this.#reportStart(false);
    this.worker.terminate();
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }

  #failure(reason: string): TransformerError {
    if (this.#started)
      return new TransformerError(
        'worker_crashed',
        `The model's worker crashed (${reason || 'no reason was given'}); load the model again.`,
      );
    const message =
      `The worker's script could not be run${reason && ` (${reason})`}. It lies beside the package's other files as worker.js: the ` +
      "server must have it, and the page's worker-src must allow it.";
    return new TransformerError('unsupported_platform', message);
  }

  #receive(message: FromWorker): void {
    if (message.type === 'ready') {
      this.#started = true;
      const fault = workerBuildFault(message.build);
      if (fault) this.end(fault);
      this.#reportStart(true);
      return;
    }
    const pending = this.pending.get(message.id);
    if (!pending) return; // settled already
    if (message.type === 'event') return pending.emit(message.event);
    this.pending.delete(message.id);
    if (message.type === 'done') return pending.resolve(message.result);
    const error = fromData(message.error);
    pending.reject(error);
    if (error.code === 'worker_crashed') this.end(error);
  }
}

export class RemoteEngine implements Engine {
  readonly #link: Link;
  #next = 0;

  constructor(workerUrl?: string | URL) {
    this.#link = new Link(startWorker(workerUrl));
    forgotten.register(this, this.#link.worker, this);
  }

  /** Whether the worker's script ran, once that is known. */
  get started(): Promise<boolean> {
    return this.#link.started;
  }

  run<K extends Request['kind']>(request: RequestOf<K>, { signal, emit }: RequestContext): Promise<Results[K]> {
    const link = this.#link;
    if (link.ended) return Promise.reject(link.ended);
    const id = this.#next++;
    const abort = (): void => {
      if (link.pending.has(id)) link.worker.postMessage({ type: 'abort', id });
    };
    const release = onAbort(signal, abort);
    return new Promise<Results[K]>((resolve, reject) => {
      link.pending.set(id, { resolve: resolve as (result: unknown) => void, reject, emit });
      try {
        link.worker.postMessage({ type: 'run', id, request });
      } catch (error) {
        link.pending.delete(id);
        reject(
          new TransformerError('invalid_argument', `What was given cannot be sent to the worker: ${(error as Error).message}`, {
            cause: error,
          }),
        );
      }
      link.worker.hold(true);
      if (signal.aborted) abort();
    }).finally(() => {
      release();
      link.worker.hold(link.pending.size > 0);
    });
  }

  close(): void {
    forgotten.unregister(this);
    this.#link.end(new TransformerError('disposed', 'The model was disposed.'));
  }
}
