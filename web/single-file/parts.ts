// In place of web/parts.ts in the single file, which has its parts inside: the baseline build, its second part, and the worker's script.
import baseline from 'embedded:webformer.wasm';
import extra from 'embedded:webformer.extra.wasm';
import workerScript from 'embedded:worker.js';
import type * as Parts from '../parts.js';
import { compilePacked } from './unpack.js';

export const compilePart: typeof Parts.compilePart = (build) => (build === 'simd' ? compilePacked(baseline) : null);

export const compileExtraPart: typeof Parts.compileExtraPart = () => compilePacked(extra);

/** The worker gets the extra part from here, so that it is in the file once: see worker-parts.ts. */
const script = (): string => `const WEBFORMER_EXTRA=${JSON.stringify(extra)};${workerScript}`;

let scriptUrl: string | undefined;

/** A page allows this by `worker-src blob:`. All workers share the address, which lives as long as the page. */
export function startBrowserWorker(): Worker {
  scriptUrl ??= URL.createObjectURL(new Blob([script()], { type: 'text/javascript' }));
  return new Worker(scriptUrl);
}

export const nodeWorkerUrl = (): URL => new URL(`data:text/javascript,${encodeURIComponent(script())}`);

export const WORKER_IS_OPTIONAL = true;
