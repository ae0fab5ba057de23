// Attention on the GPU: arguments to the device, the kernel, the result back.
import { Buffers } from './buffers.js';
import { attentionShader } from './attention.wgsl.js';
import { GpuFailure, refusal, type Device } from './device.js';
import { BINDINGS, CHUNK, PARAMS, TILE, type Binding, type Params, type ShaderOptions } from './shader-options.js';

/** The names are those of AttentionArgs in src/kernels/attention.h, which says what each means. */
export interface AttentionArgs {
  /** [T, H*D]: row t starts at t * stride. */
  query: { data: Float32Array; rows: number; stride: number };
  /** Row s is row s % block of block s / block. Halves (f16) are given by their bits. */
  memory: { keys: readonly Numbers[]; values: readonly Numbers[]; length: number; block: number; stride: number };
  heads: number;
  kvHeads: number;
  headSize: number;
  scale: number;
  softcap?: number;
  offset?: number;
  causal?: boolean;
  window?: number;
  /** [T, S] */
  mask?: Uint8Array;
  /** [H] */
  alibiSlopes?: Float32Array;
  /** [H, relativeCount] */
  relativeBias?: Float32Array;
  relativeOrigin?: number;
  /** [biasHeads, T, S] */
  bias?: Float32Array;
  biasHeads?: number;
  /** Are the weights wanted as well? */
  weights?: boolean;
}

export type Numbers = Float32Array | Uint16Array;

export interface AttentionResult {
  /** [T, H*D] */
  output: Float32Array;
  /** [H, T, S] */
  weights?: Float32Array;
  /** Is every score and every output a finite number? */
  finite: boolean;
}

export const MAX_HEAD_SIZE = 256;
/** Places and distances are 32-bit numbers in the shader. */
const MAX_PLACE = 2 ** 29;

const tooLarge = (what: string, found: number, most: number): GpuFailure =>
  new GpuFailure(`${what}: ${found} found, the GPU kernel takes at most ${most}`, false);

function checkSizes({ query, memory, headSize, offset = 0 }: AttentionArgs): void {
  if (headSize < 1 || headSize > MAX_HEAD_SIZE) throw tooLarge('head size', headSize, MAX_HEAD_SIZE);
  const farthest = Math.max(query.rows + Math.abs(offset), memory.length);
  if (farthest > MAX_PLACE) throw tooLarge('length', farthest, MAX_PLACE);
}

function optionsOf({ query, memory, headSize }: AttentionArgs): ShaderOptions {
  const chunks = Math.ceil(headSize / CHUNK);
  return {
    chunks: chunks === 3 ? 4 : (chunks as 1 | 2 | 4),
    storage: memory.keys[0] instanceof Uint16Array ? 'f16' : 'f32',
    aligned: [headSize, query.stride, memory.stride].every((count) => count % 4 === 0),
  };
}

function paramsOf(args: AttentionArgs): Params {
  const { query, memory, heads } = args;
  return {
    query_count: query.rows,
    key_count: memory.length,
    heads,
    kv_heads: args.kvHeads,
    head_size: args.headSize,
    query_stride: query.stride,
    key_stride: memory.stride,
    offset: args.offset ?? 0,
    scale: args.scale,
    softcap: args.softcap ?? 0,
    causal: Number(args.causal ?? false),
    window: Math.min(args.window ?? 0, MAX_PLACE),
    mask: Number(args.mask !== undefined),
    alibi: Number(args.alibiSlopes !== undefined),
    relative_origin: args.relativeOrigin ?? 0,
    relative_start: args.alibiSlopes?.length ?? 0,
    relative_count: (args.relativeBias?.length ?? 0) / heads,
    bias_heads: args.bias ? (args.biasHeads ?? 1) : 0,
    weights: Number(args.weights ?? false),
  };
}

function packParams(params: Params): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(Object.keys(PARAMS).length * 4));
  Object.entries(PARAMS).forEach(([name, type], i) => {
    const value = params[name as keyof Params];
    if (type === 'f32') bytes.setFloat32(i * 4, value, true);
    else bytes.setInt32(i * 4, value, true);
  });
  return new Uint8Array(bytes.buffer);
}

/** The pieces that make up each buffer, one after the other. */
function contentsOf(args: AttentionArgs): Partial<Record<Binding, readonly ArrayBufferView[]>> {
  const { query, memory } = args;
  const rows = (blocks: readonly Numbers[]): Numbers[] =>
    blocks.map((block, i) => block.subarray(0, Math.min(memory.block, memory.length - i * memory.block) * memory.stride));
  const tables = [args.alibiSlopes, args.relativeBias].filter((table) => table !== undefined);
  return {
    query: [query.data.subarray(0, query.rows * query.stride)],
    keys: rows(memory.keys),
    values: rows(memory.values),
    mask: args.mask && [args.mask],
    bias: args.bias && [args.bias],
    tables: tables.length > 0 ? tables : undefined,
  };
}

/** The kernel on one device: its pipelines and buffers. */
export class AttentionKernel {
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  readonly #buffers: Buffers;

  constructor(readonly device: Device) {
    this.#buffers = new Buffers(device);
  }

  /** Throws GpuFailure. Several calls may be under way; the device does them in order. */
  async run(args: AttentionArgs): Promise<AttentionResult> {
    checkSizes(args);
    const { query, memory, heads, headSize, weights } = args;
    const outputLength = query.rows * heads * headSize, weightsLength = weights ? heads * query.rows * memory.length : 0;
    if (query.rows === 0 || memory.length === 0) {
      return { output: new Float32Array(outputLength), finite: true, ...(weights && { weights: new Float32Array(0) }) };
    }
    const pipeline = await this.#pipeline(optionsOf(args));
    const length = (outputLength + weightsLength) * 4;
    const readback = await this.device.checked(() => this.#issue(pipeline, args, length));
    const bytes = await this.#buffers.read(readback, length + 4);
    return {
      output: new Float32Array(bytes, 0, outputLength),
      ...(weights && { weights: new Float32Array(bytes, outputLength * 4, weightsLength) }),
      finite: new Uint32Array(bytes, length)[0] === 0,
    };
  }

  #pipeline(options: ShaderOptions): Promise<GPUComputePipeline> {
    const key = JSON.stringify(options);
    const known = this.#pipelines.get(key);
    if (known) return known;
    const fresh = this.#compile(options);
    this.#pipelines.set(key, fresh);
    return fresh;
  }

  async #compile(options: ShaderOptions): Promise<GPUComputePipeline> {
    const { handle } = this.device;
    const { pipeline } = await this.device.checked(() => {
      const module = handle.createShaderModule({ code: attentionShader(options) });
      const made = handle.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'attention' } });
      made.catch(() => undefined); // where the module is at fault, checked() says so
      return { pipeline: made };
    });
    return this.device.settled(pipeline).catch((error: unknown) => {
      throw error instanceof GpuFailure ? error : refusal(error);
    });
  }

  /** All of it is queued without a wait in between, so that the buffers are free for the next call at once. */
  #issue(pipeline: GPUComputePipeline, args: AttentionArgs, length: number): GPUBuffer {
    const { handle } = this.device;
    const contents = contentsOf(args);
    const results = this.#buffers.storage('results', length);
    const status = this.#buffers.storage('status', 4);
    const upload = (name: Binding): GPUBuffer | undefined => contents[name] && this.#buffers.upload(name, contents[name]);
    const query = upload('query')!;
    // What a call does not have is never read; something must be bound there.
    const bufferOf = (name: Binding): GPUBuffer =>
      ({ query, results, status })[name as string] ?? upload(name) ?? query;
    const entries = [
      this.#buffers.uniform(packParams(paramsOf(args))),
      ...BINDINGS.map(bufferOf),
    ].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const encoder = handle.createCommandEncoder();
    encoder.clearBuffer(status);
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, handle.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.ceil((args.query.rows * (args.heads / args.kvHeads)) / TILE), args.kvHeads);
    pass.end();
    const readback = this.#buffers.readback(length + 4);
    encoder.copyBufferToBuffer(results, 0, readback, 0, length);
    encoder.copyBufferToBuffer(status, 0, readback, length, 4);
    handle.queue.submit([encoder.finish()]);
    return readback;
  }
}
