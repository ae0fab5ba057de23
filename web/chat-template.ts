// Chat templates: Jinja, run by @huggingface/jinja with limits, since a template comes with a model that somebody else made.
import { Environment, Interpreter, parse, tokenize } from '@huggingface/jinja';
import { TransformerError, invalidArgument } from './errors.js';
import { checkText, describe } from './options.js';
import type { ChatMessage } from './types.js';

const MOST_STEPS = 100_000;
const MOST_CHARACTERS = 16_000_000;
const LONGEST_RANGE = 10_000;

const refuse = (message: string, cause?: unknown): TransformerError =>
  new TransformerError('invalid_file', `chat_template: ${message}`, cause === undefined ? {} : { cause });

class LimitedInterpreter extends Interpreter {
  #steps = 0;

  override evaluate(...args: Parameters<Interpreter['evaluate']>): ReturnType<Interpreter['evaluate']> {
    if (++this.#steps > MOST_STEPS) throw refuse(`it takes more than ${MOST_STEPS} steps`);
    const result = super.evaluate(...args);
    if (typeof result.value === 'string' && result.value.length > MOST_CHARACTERS)
      throw refuse(`a text of it is longer than ${MOST_CHARACTERS} characters`);
    return result;
  }
}

/** What a template refuses by raise_exception: the messages, not the template, are wrong. */
class Raised extends Error {}

/** Python's range. */
function range(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= LONGEST_RANGE)) throw refuse(`range(${start}, ${stop}, ${step}) has more than ${LONGEST_RANGE} numbers`);
  return Array.from({ length }, (_, i) => start + i * step);
}

/** Python's strftime of the present moment, in English whatever the locale. */
function strftimeNow(format: string): string {
  const now = new Date();
  const part = (options: Intl.DateTimeFormatOptions): string => new Intl.DateTimeFormat('en-US', options).format(now);
  const two = (number: number): string => String(number).padStart(2, '0');
  const fields: Record<string, () => string> = {
    Y: () => String(now.getFullYear()),
    m: () => two(now.getMonth() + 1),
    d: () => two(now.getDate()),
    b: () => part({ month: 'short' }),
    B: () => part({ month: 'long' }),
    a: () => part({ weekday: 'short' }),
    A: () => part({ weekday: 'long' }),
    H: () => two(now.getHours()),
    M: () => two(now.getMinutes()),
    S: () => two(now.getSeconds()),
    '%': () => '%',
  };
  return format.replace(/%(.)/g, (whole, field: string) => fields[field]?.() ?? whole);
}

function environment(variables: Readonly<Record<string, unknown>>): Environment {
  const raise = (message: unknown): never => {
    throw new Raised(String(message));
  };
  const constants = { true: true, false: false, none: null, True: true, False: false, None: null };
  const scope = new Environment();
  for (const [name, value] of Object.entries({ ...constants, range, strftime_now: strftimeNow, raise_exception: raise, ...variables })) {
    scope.set(name, value);
  }
  return scope;
}

function checkMessages(messages: readonly ChatMessage[]): void {
  if (!Array.isArray(messages)) throw invalidArgument(`messages: ${describe(messages)} found, a list of { role, content } expected`);
  for (const [i, message] of messages.entries()) {
    if (typeof message !== 'object' || message === null)
      throw invalidArgument(`messages[${i}]: ${describe(message)} found, { role, content } expected`);
    checkText(`messages[${i}].role`, message.role);
    checkText(`messages[${i}].content`, message.content);
  }
}

export function applyTemplate(template: string, messages: readonly ChatMessage[], variables: Readonly<Record<string, unknown>>): string {
  checkMessages(messages);
  try {
    const program = parse(tokenize(template, { lstrip_blocks: true, trim_blocks: true }));
    const result = new LimitedInterpreter(environment({ ...variables, messages })).run(program);
    return String(result.value);
  } catch (error) {
    if (error instanceof TransformerError) throw error;
    if (error instanceof Raised) throw invalidArgument(`messages: refused by the chat template: ${error.message}`);
    throw refuse((error as Error).message, error);
  }
}
