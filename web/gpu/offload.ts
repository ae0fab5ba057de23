// The GPU of one model: it does the attentions that the model's jobs wait for, as long as it works.
import { untilAborted } from '../errors.js';
import type { Instance } from '../instance.js';
import type { WasmAttention, WasmJob, WasmModel } from '../module.js';
import type { ModelInfo } from '../types.js';
import { AttentionKernel, type AttentionResult } from './attention.js';
import { calibrate, checkKernel, timeAttention, type Timing } from './calibration.js';
import { Device, GpuFailure } from './device.js';
import { attend, writeResult } from './wasm-attention.js';

/** Where `lost`, the GPU does nothing more. */
type Report = (reason: string, lost: boolean) => void;

export class GpuOffload {
  /** Was a limit of the device reported, and its loss? Each is worth one word. */
  readonly #reported = { limit: false, loss: false };
  readonly #kernel: AttentionKernel;

  constructor(
    readonly device: Device,
    /** See AttentionDevice::threshold in src/model/attention_device.h. */
    readonly threshold: number,
    kernel = new AttentionKernel(device),
  ) {
    this.#kernel = kernel;
  }

  get failure(): GpuFailure | undefined {
    return this.device.failure;
  }

  /** Tells a new job what to wait with. A device that was lost since the last job is reported now. */
  prepare(job: WasmJob<unknown>, report: Report): void {
    if (this.failure) this.#fail(this.failure, report);
    else job.useGpu(this.threshold);
  }

  /**
   * Does what the job waits for. What fails here is left to the job's next step, and `report` says why; after a lasting failure the job
   * waits no more. Rejects with 'aborted' only.
   */
  async serve(
    instance: Instance, job: WasmJob<unknown>, attentions: readonly WasmAttention[], signal: AbortSignal, report: Report,
  ): Promise<void> {
    const runs = Promise.allSettled(attentions.map((args) => attend(this.#kernel, instance, args)));
    const outcomes = await untilAborted(signal, runs);
    outcomes.forEach((outcome, i) => {
      if (outcome.status === 'rejected') this.#fail(outcome.reason, report);
      else this.#take(instance, job, i, attentions[i]!, outcome.value);
    });
    if (this.failure) job.useGpu(Infinity);
  }

  /** What has a number that is not finite is for the CPU, which says so in its own words. */
  #take(instance: Instance, job: WasmJob<unknown>, index: number, args: WasmAttention, result: AttentionResult): void {
    if (!result.finite) return;
    writeResult(instance, args, result);
    instance.call(() => job.accept(index));
  }

  #fail(reason: unknown, report: Report): void {
    const failure = reason instanceof GpuFailure ? reason : new GpuFailure(String(reason), true);
    if (failure.lasting) this.device.close(failure.message);
    const what = this.failure ? 'loss' : 'limit';
    if (this.#reported[what]) return;
    this.#reported[what] = true;
    report((this.failure ?? failure).message, what === 'loss');
  }

  close(): void {
    this.device.close();
  }
}

/** Opens the GPU for a model. Throws GpuFailure where there is none, or it is wrong, or (if `mode` is 'auto') not faster. */
export async function openOffload(instance: Instance, model: WasmModel, info: ModelInfo, mode: 'auto' | 'webgpu'): Promise<GpuOffload> {
  const device = await Device.open();
  try {
    if (mode === 'auto' && device.report.software) throw new GpuFailure(`${device.report.adapter} computes on the CPU itself`, true);
    const kernel = new AttentionKernel(device);
    await checkKernel(kernel, instance, model);
    if (mode === 'webgpu') return new GpuOffload(device, 0, kernel);
    const time = (length: number): Promise<Timing> => timeAttention(kernel, instance, model, length);
    const { threshold, timings } = await calibrate(info.contextLength, info.width, time);
    if (threshold !== Infinity) return new GpuOffload(device, threshold, kernel);
    const last = timings.at(-1);
    const reason = last ? `the GPU was not faster up to ${last.length} tokens` : 'the model takes too few tokens for a GPU to pay';
    throw new GpuFailure(reason, true);
  } catch (error) {
    device.close();
    throw error;
  }
}
