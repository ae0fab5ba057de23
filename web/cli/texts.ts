// The texts that a command works on: its arguments, or the lines of the standard input.
import { fstatSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { TransformerError } from '../index.js';
import { UsageError } from './arguments.js';
import { complain, linesWritten, writeJson, writeLine } from './output.js';

/** Some of the texts could not be done, each of which was named. */
export class SomeFailed extends Error {}

/** The lines of the standard input as they come, without their line feeds; a last line needs none. A byte order mark is no text. */
export async function* inputLines(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  if (fstatSync(process.stdin.fd).isDirectory()) throw new UsageError('the standard input is a directory'); // node reads nothing of it
  const input = addAbortSignal(signal, process.stdin.setEncoding('utf8'));
  let rest = '', begun = false;
  for await (const chunk of input as AsyncIterable<string>) {
    const lines = (rest + (begun ? chunk : chunk.replace(/^\uFEFF/, ''))).split('\n');
    begun = true;
    rest = lines.pop()!;
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}

/** Does somebody sit there and type? */
export const isTyped = (): boolean => process.stdin.isTTY === true;

/** Each argument, or where there is none each line of the standard input. */
async function* textsOf(names: readonly string[], signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  if (names.length > 0) return yield* names;
  if (isTyped()) process.stderr.write('One text a line; Ctrl-D ends.\n');
  yield* inputLines(signal);
}

/** What may be the fault of one text, so that the next has its turn. */
const OF_ONE_TEXT: readonly string[] = ['context_full', 'numeric_error', 'out_of_memory'];

/** The message of an error that concerns one text only; null for others. A wrong argument is wrong usage, a wrong line is not. */
function faultOf(error: unknown, isLine: boolean): { code: string; message: string } | null {
  if (error instanceof TransformerError && OF_ONE_TEXT.includes(error.code)) return error;
  return error instanceof UsageError && isLine ? { code: 'invalid_argument', message: error.message } : null;
}

/**
 * Does `work` for each text in turn. One that cannot be done is named, and has an empty line in the output, or with `json` one that has the
 * error; the others are done, and it rejects with SomeFailed at the end.
 */
export async function forEachText(
  command: string, names: readonly string[], json: boolean | undefined, signal: AbortSignal, work: (text: string) => Promise<void>,
): Promise<void> {
  const isLine = names.length === 0;
  let number = 0, failed = 0;
  for await (const text of textsOf(names, signal)) {
    number++;
    const before = linesWritten();
    try {
      await work(text);
    } catch (error) {
      const fault = faultOf(error, isLine);
      if (!fault) throw error;
      const { code } = fault, message = fault.message.replace(/^(the prompt|(prompt|text) 0): /, '');
      failed++;
      complain(`${isLine ? 'line' : 'text'} ${number}: ${message} (${code})`, command);
      if (linesWritten() === before) await (json ? writeJson({ text, error: { code, message } }, signal) : writeLine('', signal));
    }
  }
  if (failed > 0) throw new SomeFailed(`${failed} of ${number} texts could not be done`);
}
