// The worker's script beside this file. Apart from web/parts.ts, which the worker has too: bundlers would find a worker within itself.
import { baselineUrl } from './parts.js';

export const startBrowserWorker = (): Worker => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });

/** Node's workers take the same script. Written as above, bundlers would copy it a second time, unbundled. */
export const nodeWorkerUrl = (): URL => new URL('worker.js', baselineUrl());

/** Whether a model that was to be in a worker is rather in the page's own thread than refused, where the page allows no worker. */
export const WORKER_IS_OPTIONAL: boolean = false;

/** Whether workers like this one can read a file that was chosen on the page. */
export const workerReads = (_file: Blob): Promise<boolean> => Promise.resolve(true);
