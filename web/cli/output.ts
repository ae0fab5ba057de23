// The standard output: texts and JSON, as slowly as the reader takes them.
import { once } from 'node:events';

async function write(text: string, signal: AbortSignal): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain', { signal });
}

/** A text that stays in its line, so that a reader can tell which line answers which. */
const inOneLine = (text: string): string => text.replace(/\r?\n/g, '\\n');

/** One answer, in one line. */
export const writeLine = (text: string, signal: AbortSignal): Promise<void> => write(`${inOneLine(text)}\n`, signal);

/** One answer as JSON, in one line. */
export const writeJson = (value: object, signal: AbortSignal): Promise<void> => write(`${JSON.stringify(value)}\n`, signal);

/** What is for reading, in as many lines as it has. */
export const writeText = (text: string, signal: AbortSignal): Promise<void> => write(text, signal);

/**
 * One answer that comes in pieces, shown as they come. On a terminal line feeds are kept: somebody reads there. What was begun ends with
 * its line, even if it fails.
 */
export async function writePieces(pieces: AsyncIterable<{ text: string }>, signal: AbortSignal): Promise<string> {
  let whole = '';
  try {
    for await (const { text } of pieces) {
      whole += text;
      await write(process.stdout.isTTY ? text : inOneLine(text), signal);
    }
  } catch (error) {
    if (whole !== '') process.stdout.write('\n');
    throw error;
  }
  await write('\n', signal);
  return whole;
}
