// webformer train: learns from files of rows, and writes a folder that all others can load.
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { LoadOptions, TrainingData, TrainingStep, TrainOptions } from '../../index.js';
import { UsageError, defineCommand, type OptionSpecs, type Values } from '../arguments.js';
import { MODEL_OPTIONS, withModel } from '../models.js';
import { writeJson } from '../output.js';
import { progressLine } from '../progress.js';

const TASKS = [
  'text-classification', 'token-classification', 'question-answering', 'translation', 'text-generation', 'masked-lm',
  'masked-lm-next-sentence', 'denoising', 'span-corruption',
] as const;
const CHECKPOINT = 'checkpoint.safetensors';
const CHECKPOINT_EVERY = 100;

const OPTIONS = {
  task: { kind: TASKS, value: 'NAME', help: 'what to learn' },
  data: { kind: 'texts', value: 'FILE', help: 'rows to learn from, .jsonl, .tsv or .txt; may be given again' },
  validation: { kind: 'texts', value: 'FILE', help: 'rows to compare with; may be given again' },
  out: { kind: 'text', value: 'DIR', help: 'where the model and its checkpoints are written' },
  steps: { kind: 'whole', help: 'how many steps' },
  epochs: { kind: 'whole', help: 'or how often to go over the data (1)' },
  'batch-size': { kind: 'whole', help: 'examples of a batch (8)' },
  'batch-tokens': { kind: 'whole', help: 'or tokens of a batch at most' },
  accumulate: { kind: 'whole', help: 'batches of a step (1)' },
  'learning-rate': { kind: 'number', of: 'optimizer.learningRate', value: 'RATE', help: '(0.001)' },
  optimizer: { of: 'optimizer.kind', kind: ['adamw', 'adam', 'sgd'], value: 'KIND', help: '(adamw)' },
  schedule: { of: 'schedule.kind', kind: ['constant', 'linear', 'cosine', 'noam'], value: 'KIND', help: '(constant)' },
  warmup: { kind: 'whole', of: 'schedule.warmup', help: 'steps until the rate is reached (0)' },
  'weight-decay': { kind: 'number', of: 'optimizer.weightDecay', help: '(0)' },
  clip: { kind: 'number', of: 'optimizer.clip', help: 'the largest norm of a gradient (any)' },
  dropout: { kind: 'number', help: 'the share that is dropped (0)' },
  'label-smoothing': { kind: 'number', help: 'the share of the loss that all labels have (0)' },
  seed: { kind: 'whole', help: 'of the order, of noise and of dropout (0)' },
  'whole-words': { kind: 'flag', help: 'masked-lm: all tokens of a word are masked, or none' },
  from: { kind: 'text', value: 'LANGUAGE', help: 'translation: of the sources, where the model knows several' },
  to: { kind: 'text', value: 'LANGUAGE', help: 'translation: of the targets, where the model knows several' },
  label: {
    kind: 'texts', of: 'head.labels', value: 'NAME',
    help: 'a label of a new head, in the place of the one the model has or lacks; given for each',
  },
  'new-head': { kind: 'flag', help: 'a new head for question-answering, which has no labels' },
  freeze: { kind: 'texts', value: 'NAME', help: 'weights whose name begins so stay as they are; may be given again' },
  'lora-rank': { kind: 'whole', of: 'lora.rank', value: 'R', help: 'learn an adapter of this rank, and save it alone' },
  'lora-alpha': { kind: 'number', of: 'lora.alpha', value: 'X', help: 'its changes are multiplied by X / R (R)' },
  'lora-target': { kind: 'texts', of: 'targets', value: 'NAME', help: 'modules that it changes: q_proj; may be given again' },
  merge: { kind: 'flag', help: "save the model with the adapter's changes" },
  'validate-every': { kind: 'whole', help: 'steps between two validations (at the end of each epoch)' },
  'checkpoint-every': { kind: 'whole', help: `steps between two checkpoints (${CHECKPOINT_EVERY})` },
  resume: { kind: 'flag', help: 'go on from the checkpoint in --out, if there is one' },
  ...MODEL_OPTIONS,
} as const satisfies OptionSpecs;

type TrainValues = Values<typeof OPTIONS>;

/** The rows of files: .jsonl, a row in JSON a line; .tsv, with the names of the columns in the first line; .txt, a text a line. */
async function rowsOf(files: readonly string[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (const file of files) {
    const kind = path.extname(file);
    if (!['.jsonl', '.tsv', '.txt'].includes(kind)) throw new UsageError(`${file}: a file .jsonl, .tsv or .txt expected`);
    let names: string[] | undefined, number = 0;
    for await (const read of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      const line = number++ === 0 ? read.replace(/^\uFEFF/, '') : read;
      if (line === '') continue;
      if (kind === '.txt') rows.push(line);
      else if (kind === '.jsonl') rows.push(parse(line, `${file}:${number}`));
      else if (names) rows.push(Object.fromEntries(line.split('\t').map((text, i) => [names![i], text])));
      else names = line.split('\t');
    }
  }
  return rows;
}

function parse(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new UsageError(`${place}: ${(error as Error).message}`);
  }
}

/** Written beside it first, so that a kill leaves the old file or the new one. */
async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${file}.partial`, bytes, { flush: true });
  await rename(`${file}.partial`, file);
}

const given = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

function optionsOf(values: TrainValues): TrainOptions {
  const { 'learning-rate': learningRate = 1e-3, 'weight-decay': weightDecay, 'lora-rank': rank } = values;
  return {
    ...given({
      steps: values.steps, epochs: values.epochs, batchSize: values['batch-size'], batchTokens: values['batch-tokens'],
      accumulate: values.accumulate, dropout: values.dropout, labelSmoothing: values['label-smoothing'], seed: values.seed,
      wholeWords: values['whole-words'], freeze: values.freeze, validateEvery: values['validate-every'],
    }),
    optimizer: { learningRate, ...given({ kind: values.optimizer, weightDecay, clip: values.clip }) },
    schedule: given({ kind: values.schedule, warmup: values.warmup }),
    ...(rank !== undefined && { lora: { rank, ...given({ alpha: values['lora-alpha'], targets: values['lora-target'] }) } }),
  };
}

function headOf({ task, label: labels, 'new-head': isNew, seed }: TrainValues): LoadOptions['head'] {
  return labels || isNew ? { task: task as NonNullable<LoadOptions['head']>['task'], ...given({ labels, seed }) } : undefined;
}

function lineOf(step: TrainingStep, validated: Pick<TrainingStep, 'validationLoss' | 'accuracy'>): string {
  const { validationLoss, accuracy } = validated;
  const share = accuracy === undefined ? '' : ` (${(100 * accuracy).toFixed(1)} %)`;
  const validation = validationLoss === undefined ? '' : `, validation ${validationLoss.toFixed(4)}${share}`;
  const left = step.remainingMs === undefined ? '' : `, ${Math.ceil(step.remainingMs / 1000)} s left`;
  return `step ${step.step} loss ${step.loss.toFixed(4)}${validation}, ${Math.round(step.tokensPerSecond)} tokens/s${left}`;
}

export const train = defineCommand({
  name: 'train',
  summary: 'Trains a model on files of texts, labels or translations',
  usage: 'MODEL --task NAME --data FILE --out DIR',
  least: 1,
  most: 1,
  options: OPTIONS,
  about:
    'The rows of a .jsonl file are objects with the keys of the task: text, pair, label; words, labels; question, context, answer, start; '
    + 'source, target; first, second; or texts alone. The columns of a .tsv file are named so in its first line. A .txt file has a text a '
    + 'line. With --json, each step is a line of JSON.',
  examples: [
    'webformer train models/gpt2 --task text-generation --data tales.txt --epochs 2 --out tales',
    'webformer train models/bert --task text-classification --data spam.jsonl --validation dev.jsonl --out spam',
    'webformer train models/llama --dtype int8 --lora-rank 8 --task text-generation --data notes.txt --out adapter',
  ],
  run: async ([source], values, signal) => {
    const { task, out, data: files = [], validation: compared } = values;
    for (const name of ['task', 'data', 'out'] as const) if (values[name] === undefined) throw new UsageError(`--${name}: missing`);
    const checkpoint = path.join(out!, CHECKPOINT), languages = given({ from: values.from, to: values.to });
    const dataOf = async (names: readonly string[]): Promise<TrainingData> =>
      ({ task: task!, rows: await rowsOf(names), ...languages }) as TrainingData;
    const data = await dataOf(files), validation = compared && (await dataOf(compared));
    await mkdir(out!, { recursive: true });
    const resume = values.resume ? await readFile(checkpoint).catch(() => undefined) : undefined;
    await withModel(source!, { ...values, head: headOf(values) }, signal, async (model) => {
      const line = progressLine();
      try {
        const run = model.train(data, {
          ...optionsOf(values), signal, checkpointEvery: values['checkpoint-every'] ?? CHECKPOINT_EVERY,
          onCheckpoint: (bytes) => replaceFile(checkpoint, bytes),
          ...(validation && { validation }), ...(resume && { resume: new Uint8Array(resume) }),
        });
        let validated = {};
        for await (const step of run) {
          if (step.validationLoss !== undefined) validated = step;
          if (values.json) await writeJson(step, signal);
          else line.show(lineOf(step, validated));
        }
        await replaceFile(checkpoint, await run.checkpoint());
      } finally {
        line.end();
      }
      const isAdapter = values['lora-rank'] !== undefined && !values.merge;
      const folder = await (isAdapter ? model.saveAdapter() : model.save());
      for (const [name, bytes] of folder) await replaceFile(path.join(out!, name), bytes);
    });
  },
});
