// The buffers of a kernel, kept from call to call and made anew where they are too small.
import { GpuFailure, type Device } from './device.js';

// GPUBufferUsage and GPUMapMode, which not every place that has WebGPU has as globals.
const MAP_READ = 0x01, COPY_SRC = 0x04, COPY_DST = 0x08, UNIFORM = 0x40, STORAGE = 0x80;
const MODE_READ = 0x01;

/** Readbacks kept for the next call. */
const SPARE_READBACKS = 4;

const roundUp = (size: number, unit: number): number => Math.ceil(size / unit) * unit;

export class Buffers {
  readonly #kept = new Map<string, GPUBuffer>();
  readonly #spare: GPUBuffer[] = [];

  constructor(readonly device: Device) {}

  /** A storage buffer of at least so many bytes. */
  storage(name: string, size: number): GPUBuffer {
    const most = this.device.report.limits.maxStorageBufferBindingSize;
    if (size > most) throw new GpuFailure(`${name}: ${size} bytes found, a buffer of this GPU has at most ${most}`, false);
    return this.#keep(name, size, STORAGE | COPY_SRC | COPY_DST);
  }

  /** A storage buffer with these pieces one after the other. */
  upload(name: string, pieces: readonly ArrayBufferView[]): GPUBuffer {
    const size = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const buffer = this.storage(name, size);
    if (pieces.every(({ byteLength }) => byteLength % 4 === 0)) {
      let at = 0;
      for (const piece of pieces) {
        this.#write(buffer, at, piece);
        at += piece.byteLength;
      }
    } else {
      this.#write(buffer, 0, joined(pieces, roundUp(size, 4)));
    }
    return buffer;
  }

  uniform(bytes: Uint8Array): GPUBuffer {
    const buffer = this.#keep('uniform', bytes.length, UNIFORM | COPY_DST);
    this.#write(buffer, 0, bytes);
    return buffer;
  }

  /** A buffer to copy results into, for read(). */
  readback(size: number): GPUBuffer {
    const at = this.#spare.findIndex((buffer) => buffer.size >= size);
    if (at >= 0) return this.#spare.splice(at, 1)[0]!;
    return this.device.handle.createBuffer({ size: roundUp(size, 4), usage: MAP_READ | COPY_DST });
  }

  /** Waits until the device has written a readback; a copy of it, which is then free again. */
  async read(buffer: GPUBuffer, size: number): Promise<ArrayBuffer> {
    try {
      await this.device.settled(buffer.mapAsync(MODE_READ, 0, roundUp(size, 4)));
    } catch (error) {
      buffer.destroy();
      throw error instanceof GpuFailure ? error : new GpuFailure(`the GPU's result could not be read (${(error as Error).message})`, true);
    }
    const bytes = buffer.getMappedRange(0, roundUp(size, 4)).slice(0, size);
    buffer.unmap();
    this.#spare.unshift(buffer);
    for (const old of this.#spare.splice(SPARE_READBACKS)) old.destroy();
    return bytes;
  }

  #keep(name: string, size: number, usage: number): GPUBuffer {
    const known = this.#kept.get(name);
    if (known && known.size >= size) return known;
    known?.destroy();
    const buffer = this.device.handle.createBuffer({ label: name, size: Math.max(roundUp(size, 16), 16), usage });
    this.#kept.set(name, buffer);
    return buffer;
  }

  #write(buffer: GPUBuffer, at: number, { buffer: bytes, byteOffset, byteLength }: ArrayBufferView): void {
    if (byteLength > 0) this.device.handle.queue.writeBuffer(buffer, at, bytes, byteOffset, byteLength);
  }
}

function joined(pieces: readonly ArrayBufferView[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of pieces) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}
