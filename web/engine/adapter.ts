// The adapter of a model: PEFT's two files.
import { extend } from '../extra.js';
import { readAll } from '../files.js';
import type { Instance } from '../instance.js';
import { FileSet, type SourceData } from '../source.js';
import type { ModelInfo } from '../types.js';
import type { Checkpoint } from './load.js';

const CONFIG = 'adapter_config.json', WEIGHTS = 'adapter_model.safetensors';

/** Takes the place of the adapter that the model has. */
export async function loadAdapter(instance: Instance, { model }: Checkpoint, source: SourceData, signal: AbortSignal): Promise<undefined> {
  const files = await FileSet.at(source, { cache: 'default', signal });
  const [config, weights] = await Promise.all([CONFIG, WEIGHTS].map(async (name) => readAll(await files.open(name))));
  await extend(instance);
  instance.stage(config!, weights!);
  instance.call((entries) => entries.loadAdapter(model, config!.length, weights!.length));
}

/** Quantized weights that it changes become f32. */
export async function mergeAdapter(instance: Instance, checkpoint: Checkpoint): Promise<ModelInfo> {
  await extend(instance);
  instance.call((entries) => entries.mergeAdapter(checkpoint.model));
  const { dtype, bytes } = instance.call(() => checkpoint.model.info());
  checkpoint.info = { ...checkpoint.info, dtype, bytes };
  return checkpoint.info;
}

export async function saveAdapter(instance: Instance, { model }: Checkpoint): Promise<Map<string, Uint8Array>> {
  await extend(instance);
  const { config, weights } = instance.call((entries) => entries.saveAdapter(model));
  return new Map([[CONFIG, config], [WEIGHTS, weights]]);
}
