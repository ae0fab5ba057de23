// The instance of WebAssembly that the small pieces share: on the calling thread, made when one of them is first used.
import { TransformerError } from './errors.js';
import { extendedInstance } from './extra.js';
import type { Instance } from './instance.js';
import type { Tensor } from './types.js';

let shared: Promise<Instance> | undefined;

/** Made anew where the last one failed to load, or crashed. */
export async function piecesInstance(): Promise<Instance> {
  const instance = await (shared ??= extendedInstance()).catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  if (!instance.crashed) return instance;
  shared = extendedInstance();
  return shared;
}

/** The bytes of floats, not copied. */
export const bytesOf = (data: Float32Array): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** Zeros of a shape. */
export function zeros(name: string, shape: readonly number[]): Tensor {
  const size = shape.reduce((product, axis) => product * axis, 1);
  try {
    return { data: new Float32Array(size), shape: [...shape] };
  } catch (cause) {
    throw new TransformerError('out_of_memory', `${name}: ${size} numbers are more than an array can have here`, { cause });
  }
}
