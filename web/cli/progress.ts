// How far a load is, on a terminal only.
import type { Progress } from '../index.js';
import { harmless } from './output.js';

const WIDTH = 30;
const PHASES: Readonly<Record<Progress['phase'], string>> = {
  runtime: 'starting',
  download: 'loading',
  cache: 'loading',
  parse: 'reading',
  quantize: 'quantizing',
  calibrate: 'calibrating',
  ready: 'ready',
};

const bar = (fraction: number): string => `[${'#'.repeat(Math.round(fraction * WIDTH)).padEnd(WIDTH, '.')}]`;

function lineOf({ phase, file, fraction }: Progress, columns: number): string {
  const share = fraction === undefined ? '' : `${bar(fraction)} ${String(Math.floor(fraction * 100)).padStart(3)}%`;
  return harmless([share, PHASES[phase], file].filter(Boolean).join(' ')).slice(0, columns - 1);
}

export interface ProgressBar {
  show(event: Progress): void;
  /** Leaves the line empty. */
  end(): void;
}

const NO_BAR: ProgressBar = { show: () => undefined, end: () => undefined };

/** One line of a terminal, written anew each time. */
function rewritable(stream: NodeJS.WriteStream): { show(line: string): void; clear(): void } {
  let last = '';
  return {
    show(line) {
      if (line !== last) stream.write(`\r\x1b[K${line}`);
      last = line;
    },
    clear() {
      if (last !== '') stream.write('\r\x1b[K');
      last = '';
    },
  };
}

/** Writes into one line of the standard error, which stays free for results and logs elsewhere. */
export function progressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  if (!stream.isTTY) return NO_BAR;
  const line = rewritable(stream);
  return { show: (event) => line.show(lineOf(event, stream.columns || 80)), end: () => line.clear() };
}

const LINE_PAUSE_MS = 10_000;

/** News of long work: the last one stays in a line of the terminal; elsewhere there is a line now and then. */
export function progressLine(stream: NodeJS.WriteStream = process.stderr): { show(text: string): void; end(): void } {
  const line = rewritable(stream);
  let last = '', shown = '', written = -Infinity;
  return {
    show(text) {
      last = harmless(text);
      if (stream.isTTY) return line.show(last.slice(0, (stream.columns || 80) - 1));
      if (performance.now() - written < LINE_PAUSE_MS) return;
      stream.write(`${(shown = last)}\n`);
      written = performance.now();
    },
    end() {
      if (stream.isTTY) line.clear();
      if (last !== shown) stream.write(`${last}\n`);
    },
  };
}
