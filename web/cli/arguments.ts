// What a command takes, and what the user typed, checked against it.
import { parseArgs } from 'node:util';
import { nearest } from '../nearest.js';

/** What was typed is wrong: the message names it, and the program ends with 2. */
export class UsageError extends Error {}

export interface OptionSpec {
  /** A list of texts means one of them; 'texts' that the option may be given again and again. */
  kind: 'flag' | 'text' | 'texts' | 'whole' | 'number' | readonly string[];
  short?: string;
  /** What the help writes for the value. */
  value?: string;
  /** What the library calls it, where that is not the same in camelCase: 'optimizer.clip'. */
  of?: string;
  help: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<Kind> = Kind extends 'flag'
  ? boolean
  : Kind extends 'text'
    ? string
    : Kind extends 'texts'
      ? string[]
      : Kind extends 'whole' | 'number'
        ? number
        : Kind extends readonly (infer Choice)[]
          ? Choice
          : never;

export type Values<Specs extends OptionSpecs> = { -readonly [Name in keyof Specs]?: ValueOf<Specs[Name]['kind']> };

export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  name: string;
  /** One line, for the list of commands. */
  summary: string;
  /** The arguments as the help writes them. */
  usage: string;
  /** How many arguments there are at least; at most: `most`, or any number. */
  least: number;
  most?: number;
  options: Specs;
  /** What else one should know. */
  about?: string;
  examples: readonly string[];
  run(names: string[], values: Values<Specs>, signal: AbortSignal): Promise<void>;
}

/** Keeps the options' types for `run`, and forgets them for the table of commands. */
export const defineCommand = <const Specs extends OptionSpecs>(command: Command<Specs>): Command => command as unknown as Command;

/** Most of the library's options have the same names, in camelCase. */
export const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** What to do about a word that is none of `known`. */
export function hint(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant ? `did you mean '${meant}'?` : `there are: ${known.join(', ')}`;
}

function toNumber(option: string, kind: 'whole' | 'number', text: string): number {
  const number = Number(text), expected = kind === 'whole' ? 'whole number' : 'number';
  if (kind === 'whole' ? !/^\d+$/.test(text) : text.trim() === '' || !Number.isFinite(number))
    throw new UsageError(`--${option}: '${text}' found, a ${expected} expected`);
  if (kind === 'whole' && !Number.isSafeInteger(number)) throw new UsageError(`--${option}: '${text}' found, less than 2^53 expected`);
  return number;
}

function toValue(option: string, { kind }: OptionSpec, given: string | boolean | (string | boolean)[]): unknown {
  if (kind === 'whole' || kind === 'number') return toNumber(option, kind, String(given));
  if (typeof kind !== 'string' && !kind.includes(String(given)))
    throw new UsageError(`--${option}: '${String(given)}' found, one of ${kind.join(', ')} expected`);
  return given;
}

interface Given {
  name: string;
  /** As it was typed: '--top-k', '-n'. */
  rawName: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}

/** Refuses an option that is not there, a value that is missing, and one that is too much. */
function checkGiven({ name, rawName, value, inlineValue }: Given, specs: OptionSpecs): void {
  if (!Object.hasOwn(specs, name)) throw new UsageError(`'${rawName}' is no option; ${hint(rawName, Object.keys(specs).map(long))}`);
  const { kind } = specs[name]!;
  if (kind === 'flag') {
    if (value !== undefined) throw new UsageError(`${rawName}: '${value}' found, no value expected`);
    return;
  }
  if (value === undefined) throw new UsageError(`${rawName}: a value is missing`);
  const isOption = !inlineValue && /^-\D/.test(value);
  if (isOption) throw new UsageError(`${rawName}: a value is missing; one that begins with '-' is written ${long(name)}=${value}`);
}

const long = (name: string): string => `--${name}`;

function parse(args: readonly string[], specs: OptionSpecs): ReturnType<typeof parseArgs> {
  const options = Object.entries(specs).map(([name, { kind, short }]) => [
    name,
    { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'texts', ...(short && { short }) } as const,
  ]);
  // Its own refusals are not for users of a program.
  const parsed = parseArgs({ args: [...args], options: Object.fromEntries(options), allowPositionals: true, strict: false, tokens: true });
  for (const token of parsed.tokens) if (token.kind === 'option') checkGiven(token, specs);
  return parsed;
}

/** The arguments and the options' values of what was typed after the command's name. Throws UsageError by name. */
export function readArguments(
  command: Command,
  args: readonly string[],
  common: OptionSpecs,
): { names: string[]; values: Values<OptionSpecs> } {
  const specs = { ...command.options, ...common };
  const parsed = parse(args, specs);
  const values = Object.entries(parsed.values).map(([name, given]) => [name, toValue(name, specs[name]!, given!)]);
  return { names: parsed.positionals, values: Object.fromEntries(values) as Values<OptionSpecs> };
}

/** Holds the number of arguments to what the command takes. */
export function checkCount({ name, usage, least, most = Infinity }: Command, names: readonly string[]): void {
  if (names.length < least) throw new UsageError(`an argument is missing: webformer ${name} ${usage}`);
  if (names.length > most) throw new UsageError(`'${names[most]}' is one argument too many: webformer ${name} ${usage}`);
}
