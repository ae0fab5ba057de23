// Tokens to labels, and tokens of one entity to one tag; as transformers' TokenClassificationPipeline.
import type { BoundTokenizer } from '../tokenizer.js';
import type { Encoding, Tag, TagOptions } from '../types.js';
import { argmax, softmax } from './scores.js';
import { mostTokens, rowOf, type TextModel } from './text-model.js';

type Aggregation = NonNullable<TagOptions['aggregation']>;

/** A token that is no special one, and what the model thinks of it. */
interface ScoredToken {
  text: string;
  start: number;
  end: number;
  scores: Float64Array;
  /** Whether it goes on with the word before it. */
  continues: boolean;
}

const codePoints = (text: string): number => [...text].length;

/** @param logits [T, labels] */
function scoredTokens(tokenizer: BoundTokenizer, text: string, encoding: Encoding, logits: Float32Array, labels: number): ScoredToken[] {
  const { ids, tokens, offsets, specialMask } = encoding;
  const marksWords = tokenizer.kind === 'wordpiece';
  const unknown = tokenizer.special[tokenizer.names['unk_token'] ?? ''];
  return ids.flatMap((id, t) => {
    if (specialMask[t]) return [];
    const [start, end] = offsets[t]!;
    const surface = text.slice(start, end);
    const isUnknown = id === unknown;
    // A vocabulary that does not mark what continues a word leaves no more than the spaces to go by.
    const continues = marksWords
      ? codePoints(tokens[t]!) !== codePoints(surface)
      : start > 0 && !text.slice(start - 1, start + 1).includes(' ');
    const scores = softmax(logits.subarray(t * labels, (t + 1) * labels));
    return [{ text: isUnknown ? surface : tokens[t]!, start, end, scores, continues: continues && !isUnknown }];
  });
}

/** Splits a list before each item that begins something new. */
function runs<T>(items: readonly T[], goesOn: (item: T, last: T) => boolean): T[][] {
  const result: T[][] = [];
  for (const item of items) {
    const run = result.at(-1);
    if (run && goesOn(item, run.at(-1)!)) run.push(item);
    else result.push([item]);
  }
  return result;
}

/** The scores that a word has, from those of its tokens. */
function wordScores(tokens: readonly ScoredToken[], aggregation: Aggregation): ArrayLike<number> {
  if (aggregation === 'first') return tokens[0]!.scores;
  if (aggregation === 'max') {
    const greatest = tokens.map(({ scores }) => scores[argmax(scores)]!);
    return tokens[argmax(greatest)]!.scores;
  }
  return tokens[0]!.scores.map((_, label) => tokens.reduce((sum, { scores }) => sum + scores[label]!, 0) / tokens.length);
}

function tagOf(labels: readonly string[], { text, start, end }: Pick<Tag, 'text' | 'start' | 'end'>, scores: ArrayLike<number>): Tag {
  const best = argmax(scores);
  return { label: labels[best]!, score: scores[best]!, text, start, end };
}

/** 'B-PER' begins an entity, 'I-PER' goes on with one, and so do labels without a prefix. */
function parts(label: string): { begins: boolean; entity: string } {
  const begins = label.startsWith('B-');
  return { begins, entity: begins || label.startsWith('I-') ? label.slice(2) : label };
}

/** Neighbours of the same entity become one. */
function grouped(tokenizer: BoundTokenizer, tags: readonly Tag[]): Tag[] {
  const groups = runs(tags, (tag, last) => !parts(tag.label).begins && parts(tag.label).entity === parts(last.label).entity);
  return groups.map((group) => ({
    label: group[0]!.label.slice(group[0]!.label.indexOf('-') + 1),
    score: group.reduce((sum, { score }) => sum + score, 0) / group.length,
    text: tokenizer.decodeTokens(group.map(({ text }) => text)),
    start: group[0]!.start,
    end: group.at(-1)!.end,
  }));
}

function aggregated(tokenizer: BoundTokenizer, tokens: readonly ScoredToken[], labels: readonly string[], aggregation: Aggregation): Tag[] {
  if (aggregation === 'none' || aggregation === 'simple') {
    const tags = tokens.map((token) => tagOf(labels, token, token.scores));
    return aggregation === 'none' ? tags : grouped(tokenizer, tags);
  }
  const words = runs(tokens, ({ continues }) => continues).map((word) => {
    const text = tokenizer.decodeTokens(word.map((token) => token.text));
    return tagOf(labels, { text, start: word[0]!.start, end: word.at(-1)!.end }, wordScores(word, aggregation));
  });
  return grouped(tokenizer, words);
}

export async function tagTokens(
  model: TextModel,
  texts: readonly string[],
  { aggregation = 'none', ignoreLabels = ['O'] }: Omit<TagOptions, 'signal'>,
): Promise<Tag[][]> {
  const { info, tokenizer } = model;
  const encodings = tokenizer.encodeBatch(texts, { truncation: { maxLength: mostTokens(model) } });
  const result: Tag[][] = [];
  await model.run(encodings, 'all', (output, row, index) => {
    const tokens = scoredTokens(tokenizer, texts[index]!, encodings[index]!, rowOf(output.logits!, row), info.labels.length);
    result[index] = aggregated(tokenizer, tokens, info.labels, aggregation).filter(({ label }) => !ignoreLabels.includes(label));
  });
  return result;
}
