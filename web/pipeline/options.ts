// Options by transformers.js' names, as those of the public API. A table of names says which there are, and gives their types.
import { TransformerError } from '../index.js';

/** transformers.js' name to the name here. */
type Names<O> = Readonly<Record<string, keyof O>>;

/** The options that a table names, with the types that they have here. As in transformers.js, null is as good as not given. */
export type Renamed<N extends Names<O>, O> = { [K in keyof N]?: O[N[K]] | null };

/** Errors that have the names of here from the beginning. */
const ours = new WeakSet<TransformerError>();

export function invalid(message: string, details?: Record<string, unknown>): TransformerError {
  const error = new TransformerError('invalid_argument', message, { details });
  ours.add(error);
  return error;
}

/** Refuses any name that `known` lacks. `owner` is the task that the options are for. */
export function checkNames(owner: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw invalid(`${owner}: options are ${String(options)}, an object expected`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(`${owner}: unknown option '${unknown}'; there are: ${known.join(', ')}`, { option: unknown });
}

/**
 * What is given of the options in `names`, by the names here. Values are checked by the method that gets them.
 * @param others names of options that the task reads itself
 */
export function renamed<O>(owner: string, options: object, names: Names<O>, others: readonly string[] = []): Partial<O> {
  checkNames(owner, options, [...Object.keys(names), ...others]);
  const given = Object.entries(options).filter(([name, value]) => name in names && value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [names[name]!, value as unknown])) as Partial<O>;
}

/** An error of the public API that is about an option, in the names here: the same in snake_case. */
export function inOwnNames(error: unknown): unknown {
  if (!(error instanceof TransformerError) || ours.has(error) || typeof error.details?.['option'] !== 'string') return error;
  const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const own = (text: string): string => text.replace(/\b[a-z]+([A-Z][a-z]*)+\b/g, snakeCase).replace(/^stop\b/, 'stop_strings');
  const details = { ...error.details, option: own(error.details['option']) };
  return new TransformerError(error.code, own(error.message), { details, cause: error });
}

/** Of transformers.js' option, and its name in version 2. */
export interface TopK<K> {
  top_k?: K;
  topk?: K;
}
export const TOP_K = ['top_k', 'topk'];

export const topKOf = <K>({ top_k, topk }: TopK<K>, otherwise: K): K =>
  top_k !== undefined ? top_k : topk !== undefined ? topk : otherwise;
