// The options of train(), checked.
import { invalidArgument } from '../errors.js';
import { lacking } from '../later.js';
import { checkBoolean, checkChoice, checkCount, checkOptions, checkSignal, checkText, describe } from '../options.js';
import type { TrainOptions } from '../types.js';
import { isDetached } from '../values.js';

const COUNTS = { steps: 1, epochs: 1, batchTokens: 1, batchSize: 1, accumulate: 1, seed: 0, checkpointEvery: 1 } as const;
const SHARES = ['dropout', 'labelSmoothing'] as const;
const LATER = ['lora', 'validation', 'validateEvery'] as const;
const OTHERS = ['shuffle', 'optimizer', 'schedule', 'freeze', 'resume', 'onCheckpoint', 'signal'];
const OPTIMIZER = ['learningRate', 'beta1', 'beta2', 'epsilon', 'weightDecay', 'momentum', 'clip'] as const;

function checkNumber(name: string, value: unknown, below = Infinity): asserts value is number | undefined {
  if (value === undefined || (typeof value === 'number' && value >= 0 && value < below)) return;
  const bound = below === Infinity ? 'a number of at least 0' : `a number from 0 to less than ${below}`;
  throw invalidArgument(`${name}: ${describe(value)} found, ${bound} expected`, { option: name });
}

export function checkTrainOptions(options: TrainOptions): void {
  checkOptions('train', options, [...Object.keys(COUNTS), ...SHARES, ...LATER, ...OTHERS]);
  for (const name of LATER) if (options[name] !== undefined) throw lacking(`train with ${name}`);
  for (const [name, least] of Object.entries(COUNTS)) checkCount(name, options[name as keyof typeof COUNTS], least);
  for (const name of SHARES) checkNumber(name, options[name], 1);
  checkBoolean('shuffle', options.shuffle);
  const { optimizer, schedule, freeze, resume, onCheckpoint } = options;
  checkOptions('optimizer', optimizer, ['kind', ...OPTIMIZER]);
  checkChoice('optimizer.kind', optimizer?.kind, ['adamw', 'adam', 'sgd']);
  for (const name of OPTIMIZER) checkNumber(`optimizer.${name}`, optimizer?.[name]);
  checkOptions('schedule', schedule, ['kind', 'warmup']);
  checkChoice('schedule.kind', schedule?.kind, ['constant', 'linear', 'cosine', 'noam']);
  checkCount('schedule.warmup', schedule?.warmup);
  if (options.steps !== undefined && options.epochs !== undefined)
    throw invalidArgument('steps and epochs: both found, one expected', { option: 'epochs' });
  if (options.batchSize !== undefined && options.batchTokens !== undefined)
    throw invalidArgument('batchSize and batchTokens: both found, one expected', { option: 'batchTokens' });
  if (freeze !== undefined && !Array.isArray(freeze))
    throw invalidArgument(`freeze: ${describe(freeze)} found, a list of names expected`, { option: 'freeze' });
  freeze?.forEach((name, i) => checkText(`freeze[${i}]`, name));
  if (resume !== undefined && (!(resume instanceof Uint8Array) || isDetached(resume)))
    throw invalidArgument(`resume: ${describe(resume)} found, the bytes of a checkpoint expected`, { option: 'resume' });
  if (onCheckpoint !== undefined && typeof onCheckpoint !== 'function')
    throw invalidArgument(`onCheckpoint: ${describe(onCheckpoint)} found, a function expected`, { option: 'onCheckpoint' });
  if (options.checkpointEvery !== undefined && !onCheckpoint)
    throw invalidArgument('checkpointEvery: onCheckpoint, which gets the checkpoints, is missing', { option: 'onCheckpoint' });
  checkSignal('signal', options.signal);
}

/** What the engine needs of them, as JSON. `total`: how many steps there will be, where the schedule asks for it. */
export function toTrainerJson(options: TrainOptions, total: number | undefined): string {
  const { optimizer = {}, schedule, dropout, labelSmoothing, seed, freeze } = options;
  if (total === undefined && (schedule?.kind === 'linear' || schedule?.kind === 'cosine'))
    throw invalidArgument(`schedule ${schedule.kind}: steps is missing, which rows that come as a stream do not tell`, { option: 'steps' });
  return JSON.stringify({ optimizer, schedule: { ...schedule, total: total ?? 0 }, dropout, labelSmoothing, seed, freeze });
}
