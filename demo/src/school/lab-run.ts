// One training of the lab: steps as they come, and what the model says in between.
import type { Model, TrainingData, TrainingStep } from 'webformer';
import type { Look, Recipe } from './lab-tasks';

const SAMPLES = 8;
export interface Sample { readonly step: number; readonly said: string; readonly look: Look }

export interface LabOptions {
  readonly steps: number;
  readonly learningRate: number;
  readonly question: () => string;
  readonly signal: AbortSignal;
}

/** Trains, and asks the model now and then; `told` hears of every step, `sampled` of every answer. */
export async function trainInLab(
  model: Model, recipe: Recipe, data: TrainingData, { steps, learningRate, question, signal }: LabOptions,
  told: (step: TrainingStep) => void, sampled: (sample: Sample) => void,
): Promise<void> {
  const sample = async (step: number) => {
    const said = await recipe.ask(model, question(), signal);
    sampled({ step, said, look: await recipe.look(model, question(), signal) });
  };
  await sample(0);
  const run = model.train(data, {
    steps, batchSize: 8, seed: 1, optimizer: { learningRate, clip: 1 },
    schedule: { kind: 'linear', warmup: Math.round(steps / 10) }, signal,
  });
  const every = Math.max(Math.round(steps / SAMPLES), 1);
  for await (const step of run) {
    told(step);
    if (step.step % every === 0 || step.step === steps) await sample(step.step);
  }
  await run.result();
}
