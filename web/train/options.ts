// The options of train(): here is checked what JSON would lose on the way to WebAssembly, which checks the rest.
import { invalidArgument } from '../errors.js';
import { checkChoice, checkCount, checkOptions, checkSignal, describe } from '../options.js';
import { translationFrame } from '../tasks/translate.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { ModelInfo, TrainingData, TrainOptions } from '../types.js';
import { isDetached, toJson } from '../values.js';

const TASKS = [
  'text-classification', 'token-classification', 'question-answering', 'translation', 'text-generation', 'masked-lm', 'denoising',
  'span-corruption', 'masked-lm-next-sentence', 'batches',
] as const satisfies readonly TrainingData['task'][];
/** Those that go to WebAssembly as they are. */
const SETTINGS = [
  'steps', 'epochs', 'batchTokens', 'batchSize', 'accumulate', 'seed', 'dropout', 'labelSmoothing', 'shuffle', 'wholeWords', 'optimizer',
  'schedule', 'lora', 'freeze',
] as const satisfies readonly (keyof TrainOptions)[];
const OTHERS = [
  'validation', 'validateEvery', 'checkpointEvery', 'resume', 'onCheckpoint', 'signal',
] as const satisfies readonly (keyof TrainOptions)[];
const GROUPS = {
  optimizer: ['kind', 'learningRate', 'beta1', 'beta2', 'epsilon', 'weightDecay', 'momentum', 'clip'],
  schedule: ['kind', 'warmup'],
  lora: ['rank', 'alpha', 'targets'],
} as const;

/** NaN would become null, and functions would vanish. */
function checkPlain(name: string, value: unknown): void {
  if (Array.isArray(value)) return value.forEach((item, i) => checkPlain(`${name}[${i}]`, item));
  if (typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' || typeof value === 'boolean') return;
  const expected = typeof value === 'number' ? 'a finite number' : 'a number, true or false, a text, or a list';
  throw invalidArgument(`${name}: ${describe(value)} found, ${expected} expected`, { option: name });
}

export const isStream = (rows: TrainingData['rows']): boolean => !Array.isArray(rows);

function checkData(name: string, data: TrainingData): void {
  checkOptions(name, data, data?.task === 'translation' ? ['task', 'rows', 'from', 'to'] : ['task', 'rows']);
  if (data?.task === undefined) throw invalidArgument(`${name}: ${describe(data)} found, { task, rows } expected`, { option: 'task' });
  checkChoice('task', data.task, TASKS);
  const rows: unknown = data.rows;
  if (Array.isArray(rows) || (typeof rows === 'object' && rows !== null && Symbol.asyncIterator in rows)) return;
  throw invalidArgument(`rows: ${describe(rows)} found, a list or an async iterable expected`);
}

export function checkTraining(data: TrainingData, options: TrainOptions): void {
  checkData('train', data);
  checkOptions('train', options, [...SETTINGS, ...OTHERS]);
  for (const name of SETTINGS) {
    if (options?.[name] === undefined) continue;
    if (name !== 'optimizer' && name !== 'schedule' && name !== 'lora') {
      checkPlain(name, options[name]);
      continue;
    }
    checkOptions(name, options[name], GROUPS[name]);
    for (const [key, value] of Object.entries(options[name])) if (value !== undefined) checkPlain(`${name}.${key}`, value);
  }
  const { validation, resume, onCheckpoint } = options ?? {};
  if (validation !== undefined) checkData('validation', validation);
  checkCount('validateEvery', options?.validateEvery, 1);
  checkCount('checkpointEvery', options?.checkpointEvery, 1);
  if (options?.validateEvery !== undefined && !validation)
    throw invalidArgument('validateEvery: validation, the data to compare with, is missing', { option: 'validation' });
  if (resume !== undefined && (!(resume instanceof Uint8Array) || isDetached(resume)))
    throw invalidArgument(`resume: ${describe(resume)} found, the bytes of a checkpoint expected`, { option: 'resume' });
  if (onCheckpoint !== undefined && typeof onCheckpoint !== 'function')
    throw invalidArgument(`onCheckpoint: ${describe(onCheckpoint)} found, a function expected`, { option: 'onCheckpoint' });
  if (options?.checkpointEvery !== undefined && !onCheckpoint)
    throw invalidArgument('checkpointEvery: onCheckpoint, which gets the checkpoints, is missing', { option: 'onCheckpoint' });
  checkSignal('signal', options?.signal);
}

/** What the core needs of all that, as JSON. */
export function toTrainerJson(
  data: TrainingData, options: TrainOptions, info: ModelInfo, source: BoundTokenizer | null, target: BoundTokenizer | null,
): string {
  return toJson({
    ...Object.fromEntries(SETTINGS.map((name) => [name, options?.[name]])),
    task: data.task,
    validationTask: options?.validation?.task,
    streamed: isStream(data.rows),
    ...(data.task === 'translation' && translationFrame(info, source, target, data)),
  });
}
