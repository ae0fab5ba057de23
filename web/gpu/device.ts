// The GPU of this machine: found, opened, and watched for its loss. It only ever holds copies.
import { isNode } from '../platform.js';
import { ownGpu } from './available.js';
import { openNodeGpu } from './node-gpu.js';

/** Why the GPU did not do a piece of work. The CPU does it then; no state is lost. */
export class GpuFailure extends Error {
  /** `lasting`: the device is of no more use. Else it is this piece of work only. */
  constructor(message: string, readonly lasting: boolean) {
    super(message);
    this.name = 'GpuFailure';
  }
}

let nodeGpu: Promise<GPU> | undefined;

/** The browser's WebGPU; in node that of the package `webgpu`, which an application installs beside this one. */
async function findGpu(): Promise<GPU> {
  const own = ownGpu();
  if (own) return own;
  if (!isNode) throw new GpuFailure('this browser has no WebGPU here (it needs https: or localhost)', true);
  nodeGpu ??= openNodeGpu();
  return nodeGpu.catch((error: unknown) => {
    nodeGpu = undefined;
    throw new GpuFailure(`node needs the package 'webgpu' for the GPU (${(error as Error).message})`, true);
  });
}

async function findAdapter(): Promise<GPUAdapter> {
  const gpu = await findGpu();
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new GpuFailure('WebGPU is there, but it offers no adapter on this machine', true);
  return adapter;
}

export interface AdapterReport {
  adapter: string;
  features: string[];
  /** Is it a program that computes on the CPU? */
  software: boolean;
  /** Bytes that one buffer may have at most, and one binding of it. */
  limits: { maxBufferSize: number; maxStorageBufferBindingSize: number };
}

function report(adapter: GPUAdapter): AdapterReport {
  const { vendor, architecture, description, isFallbackAdapter } = adapter.info;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return {
    adapter: [vendor, architecture].filter(Boolean).join(' ') || description || 'unnamed',
    features: [...adapter.features].sort(),
    software: isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|warp/i.test(`${architecture} ${description}`),
    limits: { maxBufferSize, maxStorageBufferBindingSize },
  };
}

/** What an adapter says of itself, without opening it. Throws GpuFailure where there is none. */
export const describeAdapter = async (): Promise<AdapterReport> => report(await findAdapter());

export const refusal = (error: unknown): GpuFailure => new GpuFailure(`the GPU refused the work (${(error as Error).message})`, true);

/** A device until its loss, which is final: another one is another object, so that a late callback of this one concerns nobody. */
export class Device {
  #failure: GpuFailure | undefined;
  readonly #waiting = new Set<(failure: GpuFailure) => void>();

  constructor(
    readonly handle: GPUDevice,
    readonly report: AdapterReport,
  ) {
    void handle.lost.then(({ message, reason }) =>
      this.fail(`the GPU device was lost (${reason || 'unknown'}${message ? `: ${message}` : ''})`));
  }

  static async open(): Promise<Device> {
    const adapter = await findAdapter();
    const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
    const requiredLimits = { maxBufferSize, maxStorageBufferBindingSize };
    const handle = await adapter.requestDevice({ requiredLimits }).catch((error: unknown) => {
      throw new GpuFailure(`the adapter gives no device (${(error as Error).message})`, true);
    });
    return new Device(handle, report(adapter));
  }

  /** Why the device is of no more use. */
  get failure(): GpuFailure | undefined {
    return this.#failure;
  }

  /** Gives the device up: all who wait for it fail now, and all who come later. The first reason is kept. */
  fail(reason: string): void {
    if (this.#failure) return;
    this.#failure = new GpuFailure(reason, true);
    for (const reject of this.#waiting) reject(this.#failure);
    this.#waiting.clear();
  }

  /** Resolves as `work` does, but rejects on loss, after which `work` may never end. */
  settled<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#waiting.add(reject);
      work.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  /** Issues commands; rejects with what the device finds wrong with them. */
  async checked<T>(issue: () => T): Promise<T> {
    if (this.#failure) throw this.#failure;
    const filters = ['validation', 'out-of-memory', 'internal'] as const;
    for (const filter of filters) this.handle.pushErrorScope(filter);
    let outcome: { result: T } | { thrown: unknown };
    try {
      outcome = { result: issue() };
    } catch (thrown) {
      outcome = { thrown };
    }
    const errors = await this.settled(Promise.all(filters.map(() => this.handle.popErrorScope())));
    const found = errors.find((error) => error !== null);
    if (found) throw refusal(found);
    if ('thrown' in outcome) throw outcome.thrown instanceof GpuFailure ? outcome.thrown : refusal(outcome.thrown);
    return outcome.result;
  }

  close(reason = 'the GPU device was closed'): void {
    this.fail(reason);
    this.handle.destroy();
  }
}
