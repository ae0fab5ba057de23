// A training as the caller sees it: steps that come, a result, checkpoints.
import { TransformerError, linked, throwIfAborted } from '../errors.js';
import type { Request, RequestOf, Results } from '../protocol.js';
import type { ModelInfo, TrainingData, TrainingRun, TrainingStep, TrainOptions } from '../types.js';
import { batchesOf, type Batch, type Batches } from './batches.js';
import type { Tokenizers } from './examples.js';
import { checkTrainOptions, toTrainerJson } from './options.js';

/** Asks the model's engine, in turn with its other calls: that is how inference runs between steps. */
export type Ask = <K extends Request['kind']>(kind: K, request: RequestOf<K>, signal?: AbortSignal) => Promise<Results[K]>;

export interface TrainingHost {
  info: ModelInfo;
  tokenizers: Tokenizers;
  ask: Ask;
  /** The weights are f32 from here on. */
  update(info: ModelInfo): void;
}

type Result = Awaited<ReturnType<TrainingRun['result']>>;

/** The batches of each step, over the epochs. */
async function* stepsOf(
  batches: Batches, { steps, epochs, accumulate = 1 }: TrainOptions,
): AsyncGenerator<{ epoch: number; parts: Batch[] }> {
  const streamed = batches.count(0) === undefined;
  const last = streamed ? 1 : epochs ?? (steps === undefined ? 1 : Infinity);
  for (let epoch = 0; epoch < last; epoch++) {
    let parts: Batch[] = [];
    for await (const batch of batches.epoch(epoch)) {
      parts.push(batch);
      if (parts.length < accumulate) continue;
      yield { epoch, parts };
      parts = [];
    }
    if (parts.length > 0) yield { epoch, parts };
  }
}

function countSteps(batches: Batches, { steps, epochs = 1, accumulate = 1 }: TrainOptions): number | undefined {
  if (steps !== undefined) return steps;
  let total = 0;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const count = batches.count(epoch);
    if (count === undefined) return undefined;
    total += Math.ceil(count / accumulate);
  }
  return total;
}

async function train(
  host: TrainingHost, data: TrainingData, options: TrainOptions, emit: (step: TrainingStep) => void, signal: AbortSignal,
): Promise<Result> {
  checkTrainOptions(options);
  const batches = batchesOf(data, host.info, host.tokenizers, options);
  const total = countSteps(batches, options);
  const begin = { kind: 'train-begin', options: toTrainerJson(options, total), resume: options.resume } as const;
  const { info, steps: made } = await host.ask('train-begin', begin, signal);
  host.update(info);
  const start = performance.now();
  let index = 0, loss = NaN;
  for await (const { epoch, parts } of stepsOf(batches, options)) {
    if (total !== undefined && index >= total) break;
    if (index++ < made) continue; // of the run that this one goes on with
    throwIfAborted(signal);
    const before = performance.now();
    const step = await host.ask('train-step', { kind: 'train-step', parts: parts.map(({ inputs }) => inputs) }, signal);
    const now = performance.now(), tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
    loss = step.loss;
    emit({
      ...step, epoch, tokensPerSecond: (1000 * tokens) / Math.max(now - before, 1e-3),
      ...(total !== undefined && { remainingMs: ((now - start) / (index - made)) * (total - index) }),
    });
    if (options.checkpointEvery && step.step % options.checkpointEvery === 0)
      await options.onCheckpoint!(await host.ask('train-checkpoint', { kind: 'train-checkpoint' }, signal));
  }
  return { steps: Math.max(index, made), loss };
}

class RunningTraining implements TrainingRun {
  readonly #steps: TrainingStep[] = [];
  readonly #left = new AbortController();
  readonly #result: Promise<Result>;
  #ended = false;
  #consumed = false;
  #wake: () => void = () => undefined;

  constructor(private readonly host: TrainingHost, data: TrainingData, options: TrainOptions) {
    const emit = (step: TrainingStep): void => {
      this.#steps.push(step);
      this.#wake();
    };
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    this.#result = linked(options?.signal, this.#left, () => train(host, data, options, emit, this.#left.signal));
    this.#result.then(end, end); // a failure is for those who iterate or ask for the result
  }

  result(): Promise<Result> {
    return this.#result;
  }

  /** The state after the step that runs now, or after the last. */
  checkpoint(): Promise<Uint8Array> {
    return this.host.ask('train-checkpoint', { kind: 'train-checkpoint' });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TrainingStep, void, undefined> {
    if (this.#consumed)
      throw new TransformerError('invalid_argument', 'A training can be iterated once; result() may be asked for any number of times.');
    this.#consumed = true;
    try {
      for (;;) {
        const step = this.#steps.shift();
        if (step) yield step;
        else if (this.#ended) break;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      await this.#result;
    } finally {
      this.#left.abort();
    }
  }
}

export const startTraining = (host: TrainingHost, data: TrainingData, options: TrainOptions): TrainingRun =>
  new RunningTraining(host, data, options);
