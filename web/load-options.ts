// The options of loadModel and its kin, checked and with their defaults.
import { invalidArgument } from './errors.js';
import { checkBoolean, checkChoice, checkCount, checkOptions, checkSignal, checkText, describe } from './options.js';
import { isNode } from './platform.js';
import type { AccessSettings, LoadSettings } from './protocol.js';
import type { LoadOptions, TokenizerLoadOptions } from './types.js';
import { toJson } from './values.js';

export const TOKENIZER_OPTIONS = [
  'cache',
  'headers',
  'integrity',
  'onProgress',
  'signal',
  'wasmUrl',
  'wasmBinary',
  'worker',
] as const satisfies readonly (keyof LoadOptions)[];
export const LOAD_OPTIONS = [
  ...TOKENIZER_OPTIONS,
  'dtype',
  'device',
  'threads',
  'maxLength',
  'head',
  'workerUrl',
] as const satisfies readonly (keyof LoadOptions)[];

function checkTexts(name: string, record: unknown, value: RegExp, expected: string): void {
  if (record === undefined) return;
  if (typeof record !== 'object' || record === null) throw invalidArgument(`${name}: ${describe(record)} found, an object expected`);
  for (const [key, text] of Object.entries(record)) {
    if (typeof text !== 'string' || !value.test(text))
      throw invalidArgument(`${name}['${key}']: ${describe(text)} found, ${expected} expected`);
  }
}

function checkUrl(name: string, url: unknown): void {
  if (url === undefined || typeof url === 'string' || url instanceof URL) return;
  throw invalidArgument(`${name}: ${describe(url)} found, a URL expected`);
}

function checkAccess(options: TokenizerLoadOptions): AccessSettings {
  checkChoice('cache', options.cache, ['default', 'none', 'only']);
  checkTexts('headers', options.headers, /^[^\r\n\0]*$/, 'a text of one line');
  checkTexts('integrity', options.integrity, /^[0-9a-f]{64}$/i, 'a SHA-256 of 64 hex digits');
  checkSignal('signal', options.signal);
  checkBoolean('worker', options.worker);
  if (options.onProgress !== undefined && typeof options.onProgress !== 'function') {
    throw invalidArgument(`onProgress: ${describe(options.onProgress)} found, a function expected`);
  }
  if (typeof options.wasmUrl === 'object' && !(options.wasmUrl instanceof URL)) {
    checkOptions('wasmUrl', options.wasmUrl, ['baseline', 'relaxed', 'threads']);
    for (const [name, url] of Object.entries(options.wasmUrl)) checkUrl(`wasmUrl.${name}`, url);
  } else {
    checkUrl('wasmUrl', options.wasmUrl);
  }
  return { cache: options.cache ?? 'default', headers: options.headers, integrity: options.integrity };
}

export function checkTokenizerOptions(owner: string, options: TokenizerLoadOptions): AccessSettings {
  checkOptions(owner, options, TOKENIZER_OPTIONS);
  return checkAccess(options);
}

function headJson(head: NonNullable<LoadOptions['head']>): string {
  checkOptions('head', head, ['task', 'labels', 'seed']);
  checkText('head.task', head.task);
  checkCount('head.seed', head.seed);
  if (head.labels !== undefined && !Array.isArray(head.labels))
    throw invalidArgument(`head.labels: ${describe(head.labels)} found, a list expected`, { option: 'head' });
  head.labels?.forEach((label, i) => checkText(`head.labels[${i}]`, label));
  return toJson(head);
}

export function checkLoadOptions(owner: string, options: LoadOptions, others: readonly string[] = []): LoadSettings {
  checkOptions(owner, options, [...LOAD_OPTIONS, ...others]);
  checkChoice('dtype', options.dtype, ['auto', 'f32', 'f16', 'int8', 'int4']);
  checkChoice('device', options.device, ['auto', 'wasm', 'webgpu']);
  if (options.threads !== 'auto') checkCount('threads', options.threads, 1);
  checkCount('maxLength', options.maxLength, 1);
  checkUrl('workerUrl', options.workerUrl);
  const { dtype = 'auto', device = 'auto', maxLength = 0, head } = options;
  const threads = typeof options.threads === 'number' ? options.threads : 1;
  return { ...checkAccess(options), dtype, device, threads, maxLength, ...(head !== undefined && { head: headJson(head) }) };
}

/** Browsers show nothing while their thread works; a program in node has one thread to itself. */
export const wantsWorker = ({ worker }: Pick<LoadOptions, 'worker'>): boolean => worker ?? !isNode;
