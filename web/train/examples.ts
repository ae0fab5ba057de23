// Rows of training data as ids and labels.
import { invalidArgument } from '../errors.js';
import { lacking } from '../later.js';
import { checkText, describe } from '../options.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { Encoding, ModelInfo, TrainingData } from '../types.js';

/** A text and what is to be learned of it: a label, or one for each id, of the decoder where there is one. */
export interface Example {
  ids: number[];
  types?: number[];
  labels: number[];
}

export interface Tokenizers {
  source: BoundTokenizer | null;
  target: BoundTokenizer | null;
}

type TextTask = Exclude<TrainingData['task'], 'batches'>;
type Row = Record<string, unknown>;
type ToExamples = (row: unknown, name: string) => Example[];

function textOf(row: unknown, name: string, key: string): string {
  if (typeof row !== 'object' || row === null) throw invalidArgument(`${name}: ${describe(row)} found, an object with ${key} expected`);
  const text = (row as Row)[key];
  checkText(`${name}.${key}`, text);
  return text;
}

function endOf(info: ModelInfo): number | undefined {
  const eos = info.config['eos_token_id'];
  const first: unknown = Array.isArray(eos) ? eos[0] : eos;
  return typeof first === 'number' ? first : undefined;
}

function withEnd(ids: number[], end: number | undefined, longest: number): number[] {
  return end === undefined || ids.at(-1) === end || ids.length >= longest ? ids : [...ids, end];
}

/** Every part of a long text is a row of its own; the last one ends with the end token. */
function generationExamples(info: ModelInfo, tokenizer: BoundTokenizer): ToExamples {
  const longest = info.contextLength, end = endOf(info);
  return (row, name) => {
    checkText(name, row);
    const { overflow, ...first }: Encoding = tokenizer.encode(row, { truncation: { maxLength: longest } });
    const parts = [first, ...overflow].map(({ ids }) => ids);
    parts.push(withEnd(parts.pop()!, end, longest));
    return parts.filter((ids) => ids.length > 1).map((ids) => ({ ids, labels: ids }));
  };
}

function classificationExamples(info: ModelInfo, tokenizer: BoundTokenizer): ToExamples {
  return (row, name) => {
    const label = textOf(row, name, 'label'), index = info.labels.indexOf(label);
    if (index < 0) throw invalidArgument(`${name}.label: ${describe(label)} found, one of ${info.labels.join(', ')} expected`);
    const pair = (row as Row)['pair'] === undefined ? undefined : textOf(row, name, 'pair');
    const { ids, typeIds } = tokenizer.encode(textOf(row, name, 'text'), { pair, truncation: { maxLength: info.contextLength } });
    return [{ ids, types: typeIds.some((type) => type !== 0) ? typeIds : undefined, labels: [index] }];
  };
}

function translationExamples(info: ModelInfo, source: BoundTokenizer, target: BoundTokenizer): ToExamples {
  const truncation = { maxLength: info.contextLength }, end = endOf(info);
  return (row, name) => {
    const { ids } = source.encode(textOf(row, name, 'source'), { truncation });
    const labels = target.encode(textOf(row, name, 'target'), { truncation }).ids;
    return [{ ids, labels: withEnd(labels, end, info.contextLength) }];
  };
}

/** Models whose texts need a language's code before or after them. */
const WITH_CODES = ['m2m_100', 'mbart'];

/** How rows of a task become examples. Throws where the model is not one for it. */
export function examplesOf(task: TextTask, info: ModelInfo, { source, target }: Tokenizers): ToExamples {
  if (!source || !target) throw invalidArgument(`train: this model has no tokenizer, so that it learns from task 'batches' only`);
  const refuse = (what: string): Error => invalidArgument(`train: task '${task}' found, but this ${info.modelType} model ${what}`);
  const isDecoder = info.kind === 'decoder' && info.tasks.includes('text-generation');
  if (task === 'text-generation') {
    if (!isDecoder) throw refuse('does not go on with a text');
    return generationExamples(info, source);
  }
  if (task === 'text-classification') {
    if (!info.tasks.includes('text-classification')) throw refuse('has no labels for texts');
    return classificationExamples(info, source);
  }
  if (task === 'translation') {
    if (info.kind !== 'encoder-decoder' || info.labels.length > 0) throw refuse('does not make one text of another');
    if (WITH_CODES.includes(info.modelType)) throw lacking(`train for translation with ${info.modelType}`);
    return translationExamples(info, source, target);
  }
  throw lacking(`train for '${task}'`);
}
