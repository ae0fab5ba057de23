// Tensors as transformers.js gives them.
import { invalid } from './options.js';

interface Arrays {
  float32: Float32Array;
  int8: Int8Array;
  uint8: Uint8Array;
}
type TensorType = keyof Arrays;

export type NestedNumbers = number | NestedNumbers[];

/** `data` is row-major. */
export class Tensor<T extends TensorType = TensorType> {
  readonly type: T;
  readonly data: Arrays[T];
  readonly dims: number[];

  constructor(type: T, data: Arrays[T], dims: readonly number[]) {
    this.type = type;
    this.data = data;
    this.dims = [...dims];
  }

  get size(): number {
    return this.data.length;
  }

  /** Nested lists, one level a dimension. */
  tolist(): NestedNumbers[] {
    const rows = (values: readonly NestedNumbers[], width: number): NestedNumbers[] =>
      Array.from({ length: values.length / width }, (_, i) => values.slice(i * width, (i + 1) * width));
    return this.dims.slice(1).reduceRight<NestedNumbers[]>((values, width) => rows(values, width), [...this.data]);
  }
}

/** Each vector of the last dimension with the length 1. */
export function normalized({ data, dims }: Tensor<'float32'>): Tensor<'float32'> {
  const width = dims.at(-1)!, result = Float32Array.from(data);
  for (let start = 0; start < result.length; start += width) {
    const vector = result.subarray(start, start + width);
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    vector.forEach((value, i) => (vector[i] = value / Math.max(length, 1e-12)));
  }
  return new Tensor('float32', result, dims);
}

/** Of [B,C], the signs in bits, 1 where above 0, the first one the highest: [B,C/8]. 'binary' takes 128 from each byte, as FAISS does. */
export function quantized({ data, dims }: Tensor<'float32'>, precision: 'binary' | 'ubinary'): Tensor<'int8' | 'uint8'> {
  const [rows, width] = dims as [number, number];
  if (dims.length !== 2 || width % 8 !== 0) throw invalid(`quantize: dims [${dims.join(', ')}] found, [B,C] with a multiple of 8 expected`);
  const bytes = new Uint8Array(data.length / 8);
  data.forEach((value, i) => (bytes[i >> 3]! |= Number(value > 0) << (7 - (i & 7))));
  if (precision === 'ubinary') return new Tensor('uint8', bytes, [rows, width / 8]);
  return new Tensor('int8', Int8Array.from(bytes, (byte) => byte - 128), [rows, width / 8]);
}
