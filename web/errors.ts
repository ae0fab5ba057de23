// The one error type of the package, and how it travels from WebAssembly and between threads.
import { onAbort } from './on-abort.js';

/** Stable across releases: src/core/error.h has the same list, and a test compares the two. */
export const ERROR_CODES = [
  'invalid_argument',
  'invalid_file',
  'unsupported_model',
  'weight_missing',
  'weight_mismatch',
  'vocab_mismatch',
  'context_full',
  'numeric_error',
  'out_of_memory',
  'aborted',
  'disposed',
  'busy',
  'network_error',
  'integrity_error',
  'worker_crashed',
  'gpu_lost',
  'unsupported_platform',
  'internal_error',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** `code` is for programs, the message for people: it names the item, the value found, and the bound. */
export class TransformerError extends Error {
  static {
    Object.defineProperty(this, 'name', { value: 'TransformerError' }); // node prints it, and a minifier shortens it
  }

  readonly code: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = code === 'aborted' ? 'AbortError' : 'TransformerError';
    this.code = code;
    if (options.details) this.details = options.details;
  }
}

export const invalidArgument = (message: string, details?: Record<string, unknown>): TransformerError =>
  new TransformerError('invalid_argument', message, { details });

/** A message as a sentence among others. */
export const sentence = (message: string): string => (/[.!?]$/.test(message) ? message : `${message}.`);

/** An error as plain data, for messages between threads. */
export interface ErrorData {
  code: ErrorCode;
  message: string;
  details?: Readonly<Record<string, unknown>>;
}

/** What every entry of the WebAssembly module returns. */
export type Outcome<T> = { ok: T } | { error: ErrorData };

export function unwrap<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw fromData(outcome.error);
  return outcome.ok;
}

export const fromData = ({ code, message, details }: ErrorData): TransformerError => new TransformerError(code, message, { details });

export const toData = ({ code, message, details }: TransformerError): ErrorData => ({ code, message, details });

/** Anything that was thrown as a TransformerError. What is not one already was not foreseen: a bug in this library. */
export function toTransformerError(thrown: unknown): TransformerError {
  if (thrown instanceof TransformerError) return thrown;
  return new TransformerError('internal_error', thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown), {
    cause: thrown,
  });
}

/** The error of a call whose signal was aborted. */
export const abortedBy = (signal: AbortSignal): TransformerError =>
  new TransformerError('aborted', 'The operation was aborted.', { cause: signal.reason });

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal);
}

/** Does `work` while an abort of `signal` aborts `controller` as well. Rejects at once where the signal was aborted before. */
export async function linked<R>(signal: AbortSignal | undefined, controller: AbortController, work: () => Promise<R>): Promise<R> {
  throwIfAborted(signal);
  const release = onAbort(signal, () => controller.abort(signal!.reason));
  try {
    return await work();
  } finally {
    release();
  }
}

/** Rejects at once when `signal` is aborted, whatever `work` waits for. */
export function untilAborted<R>(signal: AbortSignal | undefined, work: PromiseLike<R>): Promise<R> {
  const working = Promise.resolve(work);
  if (!signal) return working;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortedBy(signal));
    if (signal.aborted) abort();
    working.then(resolve, reject).finally(onAbort(signal, abort));
  });
}
