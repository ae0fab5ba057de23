// Training in the engine: a trainer beside the model, and its steps as jobs.
import { TransformerError } from '../errors.js';
import type { Instance } from '../instance.js';
import type { RequestContext, RequestOf, Results } from '../protocol.js';
import { finish } from './jobs.js';
import type { Checkpoint } from './load.js';

/** A new trainer takes the place of the one before. Weights become f32. */
export function beginTraining(
  instance: Instance, checkpoint: Checkpoint, { options, resume }: RequestOf<'train-begin'>,
): Results['train-begin'] {
  endTraining(checkpoint);
  const trainer = instance.call(() => checkpoint.model.trainer(options));
  checkpoint.trainer = trainer;
  const { dtype, bytes } = instance.call(() => checkpoint.model.info());
  checkpoint.info = { ...checkpoint.info, dtype, bytes };
  if (!resume) return { info: checkpoint.info, steps: 0 };
  const length = instance.stage(resume);
  return { info: checkpoint.info, steps: instance.call(() => trainer.resume(length)) };
}

function trainerOf({ trainer }: Checkpoint): NonNullable<Checkpoint['trainer']> {
  if (!trainer) throw new TransformerError('invalid_argument', 'checkpoint: this training has not begun');
  return trainer;
}

export const trainStep = (
  instance: Instance, checkpoint: Checkpoint, { parts }: RequestOf<'train-step'>, context: RequestContext,
): Promise<Results['train-step']> => finish(instance, null, instance.call(() => trainerOf(checkpoint).step(parts)), context);

export const trainCheckpoint = (instance: Instance, checkpoint: Checkpoint): Uint8Array =>
  instance.call(() => trainerOf(checkpoint).checkpoint());

function endTraining(checkpoint: Checkpoint): void {
  checkpoint.trainer?.delete();
  checkpoint.trainer = null;
}
