// Options as callers give them: names that are not known are refused, with the nearest one that is.
import { invalidArgument } from './errors.js';
import { nearest } from './nearest.js';

/** What `value` is, for a message: 'null', 'a list', '"text"', '1.5'. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? value.slice(0, 60) + '…' : value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return `an object (${value.constructor?.name ?? 'without prototype'})`;
  return typeof value === 'function' ? 'a function' : String(value);
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Refuses what is no object of options, and any name that `known` lacks. `owner` is the function that the options are for. */
export function checkOptions(owner: string, options: object | undefined, known: readonly string[]): void {
  if (options === undefined) return;
  if (!isPlainObject(options)) throw invalidArgument(`${owner}: options are ${describe(options)}, an object expected`);
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue;
    const suggestion = nearest(name, known);
    const hint = suggestion ? `did you mean '${suggestion}'?` : known.length > 0 ? `there are: ${known.join(', ')}` : 'there are none';
    throw invalidArgument(`${owner}: unknown option '${name}'; ${hint}`, { option: name, suggestion });
  }
}

export function checkChoice<T extends string>(name: string, value: unknown, choices: readonly T[]): asserts value is T | undefined {
  if (value === undefined || (choices as readonly unknown[]).includes(value)) return;
  throw invalidArgument(`${name}: ${describe(value)} found, one of ${choices.map((c) => `'${c}'`).join(', ')} expected`, { option: name });
}

export function checkBoolean(name: string, value: unknown): asserts value is boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return;
  throw invalidArgument(`${name}: ${describe(value)} found, true or false expected`, { option: name });
}

/** A whole number from `least` to 2^53 - 1. */
export function checkCount(name: string, value: unknown, least = 0): asserts value is number | undefined {
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value) && value >= least)) return;
  throw invalidArgument(`${name}: ${describe(value)} found, a whole number of at least ${least} expected`, { option: name });
}

/** A finite number of at least `least`. */
export function checkNumber(name: string, value: unknown, least = -Infinity): asserts value is number | undefined {
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value) && value >= least)) return;
  const bound = least === -Infinity ? '' : ` of at least ${least}`;
  throw invalidArgument(`${name}: ${describe(value)} found, a number${bound} expected`, { option: name });
}

export function checkSignal(name: string, value: unknown): asserts value is AbortSignal | undefined {
  if (value === undefined || (isPlainObject(value) && typeof value['aborted'] === 'boolean' && 'addEventListener' in value)) return;
  throw invalidArgument(`${name}: ${describe(value)} found, an AbortSignal expected`, { option: name });
}

export function checkText(name: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw invalidArgument(`${name}: ${describe(value)} found, a string expected`);
}
