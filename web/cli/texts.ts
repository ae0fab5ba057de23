// The texts that a command works on: its arguments, or the lines of the standard input.
import { addAbortSignal } from 'node:stream';

/** The lines of the standard input as they come, without their line feeds; a last line needs none. */
export async function* inputLines(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const input = addAbortSignal(signal, process.stdin.setEncoding('utf8'));
  let rest = '';
  for await (const chunk of input as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield line.replace(/\r$/, '');
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}

/** Does somebody sit there and type? */
export const isTyped = (): boolean => process.stdin.isTTY === true;

/** Each argument, or where there is none each line of the standard input. */
export async function* textsOf(names: readonly string[], signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  if (names.length > 0) return yield* names;
  if (isTyped()) process.stderr.write('One text a line; Ctrl-D ends.\n');
  yield* inputLines(signal);
}
