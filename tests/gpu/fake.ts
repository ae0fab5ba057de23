// A GPU for tests of what can go wrong: it computes by the oracle, and is lost, refuses or hangs when the test says so.
import { BINDINGS, PARAMS, type Params } from '../../web/gpu/shader-options.js';
import type { AttentionArgs } from '../../web/gpu/attention.js';
import { attentionOracle } from './oracle.js';

type Command = () => void;

class FakeBuffer {
  readonly bytes: ArrayBuffer;

  constructor(readonly device: FakeDevice, readonly size: number) {
    this.bytes = new ArrayBuffer(size);
    device.buffers.add(this);
  }

  async mapAsync(): Promise<void> {
    await this.device.gpu.reach('map', this.device);
  }
  getMappedRange(at: number, size: number): ArrayBuffer {
    return this.bytes.slice(at, at + size);
  }
  unmap(): void {}
  destroy(): void {
    this.device.buffers.delete(this);
  }
}

function paramsIn(buffer: FakeBuffer): Params {
  const view = new DataView(buffer.bytes);
  const read = { u32: view.getUint32, i32: view.getInt32, f32: view.getFloat32 };
  return Object.fromEntries(Object.entries(PARAMS).map(([name, type], i) => [name, read[type].call(view, i * 4, true)])) as Params;
}

/** What the shader does with its bindings; keys and values are f32. */
function attend([uniform, ...storage]: FakeBuffer[], error: number): void {
  const p = paramsIn(uniform!);
  const bytesOf = Object.fromEntries(BINDINGS.map((name, i) => [name, storage[i]!.bytes]));
  const floats = (name: string, from: number, count: number): Float32Array => new Float32Array(bytesOf[name]!, from * 4, count);
  const T = p.query_count, S = p.key_count;
  const args: AttentionArgs = {
    query: { data: floats('query', 0, T * p.query_stride), rows: T, stride: p.query_stride },
    memory: {
      keys: [floats('keys', 0, S * p.key_stride)],
      values: [floats('values', 0, S * p.key_stride)],
      length: S,
      block: S,
      stride: p.key_stride,
    },
    heads: p.heads, kvHeads: p.kv_heads, headSize: p.head_size, scale: p.scale, softcap: p.softcap, offset: p.offset, window: p.window,
    causal: p.causal !== 0,
    mask: p.mask ? new Uint8Array(bytesOf['mask']!, 0, T * S) : undefined,
    alibiSlopes: p.alibi ? floats('tables', 0, p.heads) : undefined,
    relativeBias: p.relative_count ? floats('tables', p.relative_start, p.heads * p.relative_count) : undefined,
    relativeOrigin: p.relative_origin,
    bias: p.bias_heads ? floats('bias', 0, p.bias_heads * T * S) : undefined,
    biasHeads: p.bias_heads,
  };
  const { output, weights } = attentionOracle(args);
  const results = floats('results', 0, output.length + (p.weights ? weights.length : 0));
  results.set(output.map((x) => x + error));
  if (p.weights) results.set(weights, output.length);
  new Uint32Array(bytesOf['status']!, 0, 1)[0] = Number(!results.every(Number.isFinite));
}

class FakeDevice {
  readonly lost: Promise<GPUDeviceLostInfo>;
  /** Those that are held now. */
  readonly buffers = new Set<FakeBuffer>();
  isLost = false;
  #lose!: (info: GPUDeviceLostInfo) => void;

  constructor(readonly gpu: FakeGpu) {
    this.lost = new Promise((resolve) => (this.#lose = resolve));
  }

  lose(reason: GPUDeviceLostReason, message: string): void {
    if (this.isLost) return;
    this.isLost = true;
    this.buffers.clear();
    this.#lose({ reason, message } as GPUDeviceLostInfo);
  }
  destroy(): void {
    this.lose('destroyed', '');
  }

  pushErrorScope(): void {}
  async popErrorScope(): Promise<GPUError | null> {
    return this.gpu.takeError();
  }
  createShaderModule(): object {
    return {};
  }
  async createComputePipelineAsync(): Promise<object> {
    await this.gpu.reach('pipeline', this);
    return { getBindGroupLayout: () => ({}) };
  }
  createBuffer({ size }: { size: number }): FakeBuffer {
    return new FakeBuffer(this, size);
  }
  createBindGroup({ entries }: { entries: { resource: { buffer: FakeBuffer } }[] }): FakeBuffer[] {
    return entries.map(({ resource }) => resource.buffer);
  }
  createCommandEncoder(): object {
    const commands: Command[] = [];
    let bound: FakeBuffer[] = [];
    const pass = {
      setPipeline: () => undefined,
      setBindGroup: (_: number, group: FakeBuffer[]) => (bound = group),
      dispatchWorkgroups: () => commands.push(() => attend(bound, this.gpu.error)),
      end: () => undefined,
    };
    return {
      clearBuffer: () => undefined,
      beginComputePass: () => pass,
      copyBufferToBuffer: (from: FakeBuffer, at: number, to: FakeBuffer, toAt: number, size: number) =>
        commands.push(() => new Uint8Array(to.bytes, toAt, size).set(new Uint8Array(from.bytes, at, size))),
      finish: () => commands,
    };
  }
  readonly queue = {
    writeBuffer: (buffer: FakeBuffer, at: number, bytes: ArrayBuffer, from: number, size: number): void =>
      new Uint8Array(buffer.bytes, at, size).set(new Uint8Array(bytes, from, size)),
    submit: (lists: Command[][]): void => {
      this.gpu.submits++;
      this.gpu.onSubmit(this);
      if (!this.isLost) lists.flat().forEach((command) => command());
    },
  };
}

/** Stands in for navigator.gpu. Tests set the fields. */
export class FakeGpu {
  /** null: there is no adapter. */
  adapter: 'there' | null = 'there';
  /** Added to every output. */
  error = 0;
  /** All that were ever opened. */
  devices: FakeDevice[] = [];
  submits = 0;
  maxStorageBufferBindingSize = 2 ** 27;
  onSubmit: (device: FakeDevice) => void = () => undefined;
  /** Called before a pipeline is ready, and before a buffer is mapped; a promise that it gives is awaited. */
  reach: (what: 'pipeline' | 'map', device: FakeDevice) => Promise<void> | void = () => undefined;
  /** Devices, and buffers of theirs, that are held now. */
  get held(): { devices: number; buffers: number } {
    const devices = this.devices.filter(({ isLost }) => !isLost);
    return { devices: devices.length, buffers: devices.reduce((sum, { buffers }) => sum + buffers.size, 0) };
  }

  #error: string | null = null;

  /** The next error scope catches this. */
  failScope(message: string): void {
    this.#error = message;
  }
  takeError(): GPUError | null {
    const message = this.#error;
    this.#error = null;
    return message === null ? null : ({ message } as GPUError);
  }

  async requestAdapter(): Promise<object | null> {
    if (!this.adapter) return null;
    const { maxStorageBufferBindingSize } = this;
    return {
      info: { vendor: 'fake', architecture: '', description: '', isFallbackAdapter: false },
      features: new Set<string>(),
      limits: { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize },
      requestDevice: async () => {
        const device = new FakeDevice(this);
        this.devices.push(device);
        return device;
      },
    };
  }
}
