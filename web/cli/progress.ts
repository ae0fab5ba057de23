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

/** Writes into one line of the standard error, which stays free for results and logs elsewhere. */
export function progressBar(stream: NodeJS.WriteStream = process.stderr): ProgressBar {
  if (!stream.isTTY) return NO_BAR;
  let last = '';
  return {
    show(event) {
      const line = lineOf(event, stream.columns || 80);
      if (line !== last) stream.write(`\r\x1b[K${line}`);
      last = line;
    },
    end() {
      if (last !== '') stream.write('\r\x1b[K');
      last = '';
    },
  };
}
