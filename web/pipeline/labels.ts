// Texts to labels: text-classification, zero-shot-classification, token-classification.
import type { LabelScore, Tag, TagOptions, ZeroShotOptions } from '../index.js';
import { inTurn, like, listOf, type Context, type Like } from './context.js';
import { TOP_K, checkNames, renamed, topKOf, type Renamed, type TopK } from './options.js';

// ---- text-classification ----------------------------------------------------------------------------------------------------------

/** One label a text makes one list of all texts; more of them, a list a text. */
export type Labels<I, K> = number extends K ? LabelScore[] | Like<I, LabelScore[]> : K extends 1 ? LabelScore[] : Like<I, LabelScore[]>;

/** `top_k`: how many labels; null: all. Default 1. */
export type TextClassification = <I extends string | readonly string[], const K extends number | null = 1>(
  texts: I,
  options?: TopK<K> & { signal?: AbortSignal },
) => Promise<Labels<I, K>>;

export const textClassification = ({ task, model }: Context): TextClassification =>
  async function classify(texts, options = {}) {
    checkNames(task, options, [...TOP_K, 'signal']);
    const topK = topKOf<number | null>(options, 1);
    const labels = await model.classify(texts, { topK, signal: options.signal });
    return (topK === 1 ? labels.flat() : like(texts, labels)) as Labels<typeof texts, never>;
  };

// ---- zero-shot-classification -----------------------------------------------------------------------------------------------------

const ZERO_SHOT = { hypothesis_template: 'template', multi_label: 'multiLabel', signal: 'signal' } as const;

/** The likeliest label first. */
export interface ZeroShotResult {
  sequence: string;
  labels: string[];
  scores: number[];
}

/** Labels are a list, or a text with commas between them. */
export type ZeroShotClassification = <I extends string | readonly string[]>(
  texts: I,
  candidate_labels: string | readonly string[],
  options?: Renamed<typeof ZERO_SHOT, ZeroShotOptions>,
) => Promise<Like<I, ZeroShotResult>>;

export const zeroShotClassification = ({ task, model }: Context): ZeroShotClassification =>
  async function classify(texts, candidate_labels, options = {}) {
    const settings = renamed<ZeroShotOptions>(task, options, ZERO_SHOT);
    const labels = typeof candidate_labels === 'string' ? candidate_labels.split(',').map((label) => label.trim()) : candidate_labels;
    const results = await inTurn(listOf<string>(texts), async (sequence): Promise<ZeroShotResult> => {
      const ranked = await model.zeroShot(sequence, labels, settings);
      return { sequence, labels: ranked.map(({ label }) => label), scores: ranked.map(({ score }) => score) };
    });
    return like(texts, results);
  };

// ---- token-classification ---------------------------------------------------------------------------------------------------------

const TOKENS = { ignore_labels: 'ignoreLabels', aggregation_strategy: 'aggregation', signal: 'signal' } as const;

/** `start` and `end` are UTF-16 offsets in the text. */
interface Span {
  score: number;
  word: string;
  start: number;
  end: number;
}

/** `index`: the token's place among all, special ones included. */
export type TokenResult = { entity: string; index: number } & Span;
export type GroupResult = { entity_group: string } & Span;

export type TokenClassificationOptions = Renamed<typeof TOKENS, TagOptions>;
/** Of an aggregation that only the running program knows, it may be either. */
export type Entity<O> = O extends { aggregation_strategy: infer A extends string }
  ? A extends 'none'
    ? TokenResult
    : GroupResult
  : TokenResult;

export type TokenClassification = <I extends string | readonly string[], const O extends TokenClassificationOptions = object>(
  texts: I,
  options?: O,
) => Promise<Like<I, Entity<O>[]>>;

/** @param tags of each token that is not special */
function tokenResults({ tokenizer }: Context, text: string, tags: readonly Tag[], ignored: readonly string[]): TokenResult[] {
  const { ids, specialMask } = tokenizer.encode(text);
  const places = ids.flatMap((_, index) => (specialMask[index] ? [] : [index]));
  const results = tags.map(({ label: entity, score, text: token, start, end }, i): TokenResult => {
    const index = places[i]!;
    return { entity, score, index, word: tokenizer.decode([ids[index]!], { skipSpecialTokens: true }) || token, start, end };
  });
  return results.filter(({ entity }) => !ignored.includes(entity));
}

const groupResult = ({ label: entity_group, text: word, score, start, end }: Tag): GroupResult =>
  ({ entity_group, score, word, start, end });

export const tokenClassification = (context: Context): TokenClassification =>
  async function classify(texts, options) {
    const settings = renamed<TagOptions>(context.task, options ?? {}, TOKENS);
    const { aggregation = 'none', ignoreLabels = ['O'] } = settings;
    const inputs = listOf<string>(texts);
    // Which token a tag is of is known by counting, so that none may be missing.
    const tags = await context.model.tagTokens(inputs, aggregation === 'none' ? { ...settings, ignoreLabels: [] } : settings);
    const results = tags.map((list, i) =>
      aggregation === 'none' ? tokenResults(context, inputs[i]!, list, ignoreLabels) : list.map(groupResult),
    );
    return like(texts, results) as Like<typeof texts, never[]>;
  };
