// A training of a model: what is asked of its engine, in which order.
import { throwIfAborted, untilAborted } from '../errors.js';
import type { Request, RequestOf, Results } from '../protocol.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { ModelInfo, TrainingData, TrainingRun, TrainingStep, TrainOptions } from '../types.js';
import { checkTraining, isStream, toTrainerJson } from './options.js';
import { portionsOf } from './rows.js';
import { RunningTraining } from './steps.js';

/** Asks the model's engine, in turn with its other calls: that is how inference runs between steps. */
export type Ask = <K extends Request['kind']>(kind: K, request: RequestOf<K>, signal?: AbortSignal) => Promise<Results[K]>;

export interface TrainingHost {
  info: ModelInfo;
  source: BoundTokenizer | null;
  target: BoundTokenizer | null;
  ask: Ask;
  /** What of the model has changed: its weights are f32 from here on. */
  update(info: ModelInfo): void;
}

type Result = Awaited<ReturnType<TrainingRun['result']>>;
type Validated = Pick<TrainingStep, 'validationLoss' | 'accuracy'>;

async function validate(host: TrainingHost, signal: AbortSignal): Promise<Validated> {
  for (;;) {
    const result = await host.ask('train-evaluate', { kind: 'train-evaluate' }, signal);
    if (result) return { validationLoss: result.loss, ...(result.accuracy !== undefined && { accuracy: result.accuracy }) };
  }
}

async function train(
  host: TrainingHost, data: TrainingData, options: TrainOptions, emit: (step: TrainingStep) => void, signal: AbortSignal,
): Promise<Result> {
  checkTraining(data, options);
  const { validation, validateEvery, checkpointEvery, onCheckpoint, resume } = options;
  const send = async (portion: object, isValidation: boolean): Promise<void> => {
    await host.ask('train-rows', { kind: 'train-rows', validation: isValidation, ...portion } as RequestOf<'train-rows'>, signal);
  };
  const settings = toTrainerJson(data, options, host.info, host.source, host.target);
  await host.ask('train-open', { kind: 'train-open', options: settings }, signal);
  const rows = portionsOf(data, 'rows', host.info, signal);
  try {
    if (!isStream(data.rows)) for await (const portion of rows) await send(portion, false);
    if (validation) for await (const portion of portionsOf(validation, 'validation.rows', host.info, signal)) await send(portion, true);
    const begun = await host.ask('train-begin', { kind: 'train-begin', resume }, signal);
    host.update(begun.info);

    const { steps: made, total } = begun, start = performance.now();
    let { needsRows, done } = begun, loss = NaN, last = made, validated: Validated = {}, validatedAt = -1;
    const measure = async (): Promise<Validated> => {
      validatedAt = last;
      return (validated = await validate(host, signal));
    };
    for (;;) {
      while (needsRows) {
        const { value } = await untilAborted(signal, rows.next());
        ({ needsRows, done } = value
          ? await host.ask('train-rows', { kind: 'train-rows', validation: false, ...value }, signal)
          : await host.ask('train-close', { kind: 'train-close' }, signal));
      }
      if (done) {
        if (validation && validatedAt !== last) await measure();
        const { validationLoss } = validated;
        return { steps: last, loss, ...(validationLoss !== undefined && { validationLoss }) };
      }
      throwIfAborted(signal);
      const before = performance.now();
      const { state, step, tokens, epochEnds } = await host.ask('train-step', { kind: 'train-step' }, signal);
      ({ needsRows, done } = state);
      const now = performance.now();
      ({ loss, step: last } = step);
      const isDue = validateEvery === undefined ? epochEnds || done : last % validateEvery === 0 || done;
      const measured = validation && isDue ? await measure() : {};
      emit({
        ...step, ...measured, tokensPerSecond: (1000 * tokens) / Math.max(now - before, 1e-3),
        ...(total !== undefined && { remainingMs: ((now - start) / (last - made)) * (total - last) }),
      });
      if (checkpointEvery && last % checkpointEvery === 0)
        await onCheckpoint!(await host.ask('train-checkpoint', { kind: 'train-checkpoint' }, signal));
    }
  } finally {
    void rows.return().catch(() => undefined); // whose source may never answer
  }
}

export const startTraining = (host: TrainingHost, data: TrainingData, options: TrainOptions = {}): TrainingRun =>
  new RunningTraining(
    (emit, signal) => train(host, data, options, emit, signal), options?.signal,
    () => host.ask('train-checkpoint', { kind: 'train-checkpoint' }),
  );
