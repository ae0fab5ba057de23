// In place of web/worker-script.ts in the single file, which has the worker's script inside.
import extra from 'embedded:webformer.extra.wasm';
import workerScript from 'embedded:worker.js';

/** The worker gets the module's second part from here, so that it is in the file once: see worker-parts.ts. */
const script = (): string => `const WEBFORMER_EXTRA=${JSON.stringify(extra)};${workerScript}`;

let scriptUrl: string | undefined;

/** A page allows this by `worker-src blob:`. All workers share the address, which lives as long as the page. */
export function startBrowserWorker(): Worker {
  scriptUrl ??= URL.createObjectURL(new Blob([script()], { type: 'text/javascript' }));
  return new Worker(scriptUrl);
}

/** Posts whether it could read the first byte of the file that it is sent. */
const READER = 'onmessage=({data})=>data.slice(0,1).arrayBuffer().then(()=>postMessage(true),()=>postMessage(false))';

export function workerReads(file: Blob): Promise<boolean> {
  const url = URL.createObjectURL(new Blob([READER], { type: 'text/javascript' })), worker = new Worker(url);
  return new Promise<boolean>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<boolean>) => resolve(data);
    worker.onerror = () => resolve(false);
    worker.postMessage(file);
  }).finally(() => {
    worker.terminate();
    URL.revokeObjectURL(url);
  });
}

export const nodeWorkerUrl = (): URL => new URL(`data:text/javascript,${encodeURIComponent(script())}`);

export const WORKER_IS_OPTIONAL = true;
