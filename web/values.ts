// Ids, tensors and texts as callers give them, checked before anything sees them.
import { TransformerError, invalidArgument } from './errors.js';
import { describe } from './options.js';
import type { Ids, Tensor } from './types.js';

const INT32_MAX = 2 ** 31 - 1;

/** Whether the memory behind a view was transferred elsewhere. */
export function isDetached(view: ArrayBufferView): boolean {
  if (view.byteLength > 0) return false;
  try {
    new Uint8Array(view.buffer as ArrayBuffer);
    return false;
  } catch {
    return true;
  }
}

function refuseDetached(name: string, view: ArrayBufferView): void {
  if (isDetached(view)) throw invalidArgument(`${name}: its memory was transferred elsewhere, so that nothing is left to read`);
}

const isList = (value: unknown): value is ArrayLike<unknown> => Array.isArray(value) || value instanceof Int32Array;

/** A list of whole numbers from `least` to 2^31 - 1, as a copy of its own. */
export function toInt32(name: string, list: unknown, least = 0): Int32Array {
  if (!isList(list)) throw invalidArgument(`${name}: ${describe(list)} found, an array or Int32Array of whole numbers expected`);
  if (list instanceof Int32Array) refuseDetached(name, list);
  const copy = new Int32Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > INT32_MAX) {
      throw invalidArgument(`${name}[${i}]: ${describe(value)} found, a whole number from ${least} to 2^31 - 1 expected`, {
        index: i,
        found: String(value),
      });
    }
    copy[i] = value;
  }
  return copy;
}

/** A list of numbers that need not be whole. */
export function toFloat32(name: string, list: unknown): Float32Array {
  if (!isList(list)) throw invalidArgument(`${name}: ${describe(list)} found, an array of numbers expected`);
  const copy = new Float32Array(list.length);
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw invalidArgument(`${name}[${i}]: ${describe(value)} found, a number expected`, { index: i });
    copy[i] = value;
  }
  return copy;
}

/** [rows, cols] of whole numbers. */
export interface IdMatrix {
  rows: number;
  cols: number;
  data: Int32Array;
}

/** Rows of one length, as a matrix. */
export function toIdMatrix(name: string, lists: unknown, least = 0): IdMatrix {
  if (!Array.isArray(lists)) throw invalidArgument(`${name}: ${describe(lists)} found, a list of rows of ids expected`);
  const rows = lists.map((list, i) => toInt32(`${name}[${i}]`, list, least));
  const cols = rows[0]?.length ?? 0;
  const data = new Int32Array(rows.length * cols);
  rows.forEach((row, i) => {
    if (row.length !== cols) {
      throw invalidArgument(
        `${name}[${i}]: ${row.length} ids found, ${cols} expected as in row 0 (pad the rows, with an attention mask)`,
        { index: i },
      );
    }
    data.set(row, i * cols);
  });
  return { rows: rows.length, cols, data };
}

/** Ids of a batch, or of a single sequence. */
export function isSingle(ids: readonly unknown[] | Int32Array): ids is Ids {
  return ids instanceof Int32Array || typeof ids[0] === 'number' || typeof ids[0] === 'bigint';
}

export function checkTensor(name: string, tensor: unknown): asserts tensor is Tensor {
  const { data, shape } = (tensor ?? {}) as Partial<Tensor>;
  if (!(data instanceof Float32Array) || !Array.isArray(shape)) {
    throw invalidArgument(`${name}: ${describe(tensor)} found, { data: Float32Array, shape: number[] } expected`);
  }
  refuseDetached(name, data);
  for (const [axis, size] of shape.entries()) {
    if (!Number.isSafeInteger(size) || size < 0)
      throw invalidArgument(`${name}.shape[${axis}]: ${describe(size)} found, a size expected`);
  }
  const size = shape.reduce((product, axis) => product * axis, 1);
  if (size !== data.length)
    throw invalidArgument(`${name}: ${data.length} numbers found, ${size} expected by the shape [${shape.join(', ')}]`);
}

/** The bytes that a caller handed in, not copied. */
export function toBytes(name: string, value: unknown): Uint8Array {
  if (value instanceof ArrayBuffer) value = viewOf(name, value);
  if (!ArrayBuffer.isView(value)) throw invalidArgument(`${name}: ${describe(value)} found, bytes expected`);
  refuseDetached(name, value);
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

function viewOf(name: string, buffer: ArrayBuffer): Uint8Array {
  try {
    return new Uint8Array(buffer);
  } catch {
    throw invalidArgument(`${name}: its memory was transferred elsewhere, so that nothing is left to read`);
  }
}

/** JSON for WebAssembly, as well-formed text: lone surrogates become U+FFFD, typed arrays lists. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === 'string') return part.replace(/\p{Surrogate}/gu, '\ufffd');
      return part instanceof Int32Array ? Array.from(part) : part;
    });
  } catch (cause) {
    throw new TransformerError('invalid_argument', `What was given is no JSON: ${(cause as Error).message}`, { cause });
  }
}
