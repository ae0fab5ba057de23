// Weights of a loaded model, by the names of its file: model.save() gives the file, this finds a tensor in it.
import type { Model, Tensor } from 'webformer';

interface Entry { dtype: string; shape: number[]; data_offsets: [number, number] }
interface Saved { bytes: Uint8Array; header: Record<string, Entry>; begin: number }

const saved = new WeakMap<Model, Promise<Saved>>();

/** A safetensors file: eight bytes of length, a JSON header, the numbers. */
async function readSaved(model: Model): Promise<Saved> {
  const bytes = (await model.save({ dtype: 'f32' })).get('model.safetensors')!;
  const begin = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  return { bytes, begin, header: JSON.parse(new TextDecoder().decode(bytes.subarray(8, begin))) };
}

/** The first tensor whose name ends so; null: the model has none. */
export async function weightOf(model: Model, ending: string): Promise<Tensor | null> {
  if (!saved.has(model)) saved.set(model, readSaved(model));
  const { bytes, header, begin } = await saved.get(model)!;
  const name = Object.keys(header).find((one) => one.endsWith(ending));
  if (!name) return null;
  const { shape, data_offsets: [from, to] } = header[name];
  return { data: new Float32Array(bytes.slice(begin + from, begin + to).buffer), shape };
}
