// The standard output: texts and JSON, as slowly as the reader takes them; and the standard error, for what goes wrong.
import { once } from 'node:events';

/** How many lines have been answered: a text that fails before its line is there leaves an empty one. */
let lines = 0;

export const linesWritten = (): number => lines;

async function write(text: string, signal: AbortSignal): Promise<void> {
  if (text.endsWith('\n')) lines++;
  if (!process.stdout.write(text)) await once(process.stdout, 'drain', { signal });
}

/** Without the control characters that would move the cursor or repaint a terminal: a text may be anybody's. */
export const harmless = (text: string): string => text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '\uFFFD');

/** One message, with the program's name before it. */
export function complain(message: string, command?: string): void {
  process.stderr.write(`${harmless(`webformer${command === undefined ? '' : ` ${command}`}: ${message}`)}\n`);
}

/** What the system says of a file, of a pipe, of the disk: without its own numbers and names, and first of what. */
export function explained({ message, path, syscall }: NodeJS.ErrnoException): string {
  const [, reason] = /^[A-Z0-9_]+: (.*?), [a-z]+/.exec(message) ?? [];
  return syscall === undefined || reason === undefined ? message : `${path ?? syscall}: ${reason}`;
}

/** A text that stays in its line, so that a reader can tell which line answers which. On a terminal somebody reads, and lines are lines. */
const forReader = (text: string): string => (process.stdout.isTTY ? harmless(text) : text.replace(/\r?\n/g, '\\n'));

/** One answer, in one line where a program reads. */
export const writeLine = (text: string, signal: AbortSignal): Promise<void> => write(`${forReader(text)}\n`, signal);

/** One answer as JSON, in one line. */
export const writeJson = (value: object, signal: AbortSignal): Promise<void> => write(`${JSON.stringify(value)}\n`, signal);

/** What is for reading, in as many lines as it has. */
export const writeText = (text: string, signal: AbortSignal): Promise<void> => write(text, signal);

/** One answer that comes in pieces, shown as they come. What was begun ends with its line, even if it fails. */
export async function writePieces(pieces: AsyncIterable<{ text: string }>, signal: AbortSignal): Promise<string> {
  let whole = '';
  try {
    for await (const { text } of pieces) {
      whole += text;
      await write(forReader(text), signal);
    }
  } catch (error) {
    if (whole !== '') await write('\n', signal);
    throw error;
  }
  await write('\n', signal);
  return whole;
}
