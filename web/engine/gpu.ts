// The GPU for a model that was just loaded.
import { TransformerError, sentence, throwIfAborted } from '../errors.js';
import { ownGpu } from '../gpu/available.js';
import { openOffload } from '../gpu/offload.js';
import type { Instance } from '../instance.js';
import { isNode } from '../platform.js';
import type { LoadSettings } from '../protocol.js';
import type { Checkpoint } from './load.js';

/**
 * Opens the GPU as the option `device` asks for it; the model's info then says what came of it. Throws unsupported_platform where 'webgpu'
 * is asked for and cannot be had. `begin` is called where there is something to try.
 */
export async function attachGpu(
  instance: Instance, checkpoint: Checkpoint, device: LoadSettings['device'], signal: AbortSignal, begin: () => void = () => undefined,
): Promise<void> {
  const { info, model } = checkpoint;
  if (device === 'wasm') return;
  if (device === 'auto' && !ownGpu()) {
    info.deviceReason = isNode ? "In node, only device 'webgpu' looks for a GPU." : 'This browser has no WebGPU here.';
    return;
  }
  begin();
  try {
    const gpu = await openOffload(instance, model, info, device);
    if (signal.aborted) gpu.close();
    throwIfAborted(signal);
    checkpoint.gpu = gpu;
    info.device = 'webgpu';
    info.gpuThreshold = gpu.threshold;
  } catch (error) {
    throwIfAborted(signal);
    const reason = (error as Error).message;
    if (device === 'webgpu') throw new TransformerError('unsupported_platform', `device 'webgpu': ${reason}`, { cause: error });
    info.deviceReason = sentence(`Attention stays on the CPU: ${reason}`);
  }
}
