// An attention of the WebAssembly module on the GPU: its arguments are read where they are, its output is written there.
import type { Instance } from '../instance.js';
import type { WasmAttention } from '../module.js';
import type { AttentionArgs, AttentionKernel, AttentionResult } from './attention.js';

/** The arguments as views of the module's memory, which end when it grows. */
function viewsOf(memory: ArrayBufferLike, job: WasmAttention): AttentionArgs {
  const floats = (address: number, length: number): Float32Array => new Float32Array(memory, address, length);
  const optional = (address: number, length: number): Float32Array | undefined => (address ? floats(address, length) : undefined);
  const { heads, queryRows, length, block, stride } = job;
  const rows = (addresses: readonly number[]): Float32Array[] =>
    addresses.map((address, i) => floats(address, Math.min(block, length - i * block) * stride));
  return {
    ...job,
    query: { data: floats(job.query, queryRows * job.queryStride), rows: queryRows, stride: job.queryStride },
    memory: { keys: rows(job.keys), values: rows(job.values), length, block, stride },
    mask: job.mask ? new Uint8Array(memory, job.mask, queryRows * length) : undefined,
    alibiSlopes: optional(job.alibiSlopes, heads),
    relativeBias: optional(job.relativeBias, heads * job.relativeCount),
    bias: optional(job.bias, job.biasHeads * queryRows * length),
    weights: job.weights !== 0,
  };
}

/** Computes it; nothing is written yet. Throws GpuFailure. */
export const attend = (kernel: AttentionKernel, { module }: Instance, job: WasmAttention): Promise<AttentionResult> =>
  kernel.run(viewsOf(module.HEAPU8.buffer, job));

export function writeResult({ module }: Instance, job: WasmAttention, { output, weights }: AttentionResult): void {
  const memory = module.HEAPU8.buffer;
  new Float32Array(memory, job.output, output.length).set(output);
  if (weights) new Float32Array(memory, job.weights, weights.length).set(weights);
}
