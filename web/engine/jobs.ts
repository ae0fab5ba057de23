// Work of the module that gives the thread back between its steps.
import { throwIfAborted } from '../errors.js';
import type { GpuOffload } from '../gpu/offload.js';
import type { Instance } from '../instance.js';
import type { WasmJob } from '../module.js';
import type { RequestContext } from '../protocol.js';
import { nextTask } from '../yield.js';

const STEP_MS = 20;

/** Drives a job to its end. An abort drops it, which undoes what it began. */
export async function finish<R>(
  instance: Instance, gpu: GpuOffload | null, job: WasmJob<R>, { signal, emit }: RequestContext,
): Promise<R> {
  const report = (reason: string, lost: boolean): void => emit({ kind: 'gpu', reason, lost });
  try {
    gpu?.prepare(job, report);
    for (;;) {
      throwIfAborted(signal);
      const { done, items, attentions } = instance.call(() => job.step(STEP_MS));
      if (items) emit({ kind: 'items', items });
      if (done) return instance.call(() => job.result());
      if (attentions && gpu) await gpu.serve(instance, job, attentions, signal, report);
      else await nextTask();
    }
  } finally {
    job.delete();
  }
}
