// Weights as a safetensors file: what createLayer hands to the code that reads such files.
import { bytesOf } from './pieces-instance.js';
import type { Tensor } from './types.js';
import { toJson } from './values.js';

/** The file in parts, the tensors not copied. */
export function toSafetensors(weights: ReadonlyMap<string, Tensor>): Uint8Array[] {
  let end = 0;
  const header = [...weights].map(([name, { data, shape }]) => {
    const begin = end;
    end += data.byteLength;
    return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }];
  });
  const json = new TextEncoder().encode(toJson(Object.fromEntries(header)));
  const length = new Uint8Array(8);
  new DataView(length.buffer).setUint32(0, json.length, true);
  return [length, json, ...[...weights.values()].map(({ data }) => bytesOf(data))];
}
