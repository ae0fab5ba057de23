// Training in the engine: a trainer beside the model, and its steps as jobs.
import { TransformerError } from '../errors.js';
import { extend } from '../extra.js';
import type { Instance } from '../instance.js';
import type { WasmTrainer } from '../module.js';
import type { RequestContext, RequestOf, Results, TrainingState } from '../protocol.js';
import { finish } from './jobs.js';
import type { Checkpoint } from './load.js';

/** A new trainer takes the place of the one before. */
export async function openTraining(instance: Instance, checkpoint: Checkpoint, { options }: RequestOf<'train-open'>): Promise<undefined> {
  await extend(instance);
  const { model, tokenizers } = checkpoint;
  const trainer = instance.call((entries) =>
    entries.createTrainer(model, options, tokenizers?.source.handle ?? null, tokenizers?.target.handle ?? null),
  );
  checkpoint.trainer?.delete();
  checkpoint.trainer = trainer;
}

function trainerOf({ trainer }: Checkpoint): WasmTrainer {
  if (!trainer) throw new TransformerError('invalid_argument', 'checkpoint: this training has not begun');
  return trainer;
}

const stateOf = (instance: Instance, trainer: WasmTrainer): TrainingState => instance.call(() => trainer.state());

export function addTrainingRows(instance: Instance, checkpoint: Checkpoint, request: RequestOf<'train-rows'>): TrainingState {
  const trainer = trainerOf(checkpoint);
  if ('batches' in request) {
    instance.call(() => trainer.addBatches(request.batches, request.validation));
  } else {
    const [length] = instance.stageTexts([request.rows]);
    instance.call(() => trainer.addRows(length!, request.first, request.validation));
  }
  return stateOf(instance, trainer);
}

export function closeTrainingRows(instance: Instance, checkpoint: Checkpoint): TrainingState {
  const trainer = trainerOf(checkpoint);
  instance.call(() => trainer.close());
  return stateOf(instance, trainer);
}

/** Weights become f32. */
export function beginTraining(instance: Instance, checkpoint: Checkpoint, { resume }: RequestOf<'train-begin'>): Results['train-begin'] {
  const trainer = trainerOf(checkpoint);
  const length = resume ? instance.stage(resume) : 0;
  const begun = instance.call(() => trainer.begin(length));
  const { dtype, bytes } = instance.call(() => checkpoint.model.info());
  checkpoint.info = { ...checkpoint.info, dtype, bytes };
  return { ...begun, ...stateOf(instance, trainer), info: checkpoint.info };
}

export async function trainStep(instance: Instance, checkpoint: Checkpoint, context: RequestContext): Promise<Results['train-step']> {
  const trainer = trainerOf(checkpoint);
  const { tokens, epochEnds, ...step } = await finish(instance, null, instance.call(() => trainer.step()), context);
  return { step, tokens, epochEnds, state: stateOf(instance, trainer) };
}

export async function trainEvaluate(
  instance: Instance, checkpoint: Checkpoint, context: RequestContext,
): Promise<Results['train-evaluate']> {
  return (await finish(instance, null, instance.call(() => trainerOf(checkpoint).evaluate()), context)) ?? null;
}

export const trainCheckpoint = (instance: Instance, checkpoint: Checkpoint): Uint8Array =>
  instance.call(() => trainerOf(checkpoint).checkpoint());
