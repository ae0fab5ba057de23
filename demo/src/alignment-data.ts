// From the weights of tokens to those of words: which words of the source stand behind each word of the translation.
import type { Tokenizer } from 'webformer';
import { chosenVersion, type Translation } from './translation';

export interface Alignment {
  /** The words of both; the source's last is '' where tokens stand for no text, such as the end of the sentence. */
  source: readonly string[];
  target: readonly string[];
  /** [target words, source words]; each row adds up to 1. */
  weights: readonly (readonly number[])[];
}

type Range = readonly [start: number, end: number];

/** The words of `text`, and for each range of characters the index of the word in which it begins, -1 for none. */
function wordsOf(text: string, ranges: readonly Range[], language: string): { words: string[]; places: number[] } {
  const segments = Array.from(new Intl.Segmenter(language || undefined, { granularity: 'word' }).segment(text))
    .filter(({ segment }) => segment.trim() !== '');
  const placeOf = ([start, end]: Range) => {
    const first = start + text.slice(start, end).search(/\S/);
    if (end <= start || first < start) return -1;
    return segments.findIndex(({ index, segment }) => first >= index && first < index + segment.length);
  };
  return { words: segments.map(({ segment }) => segment), places: ranges.map(placeOf) };
}

/** Where each token stands in the text that they make together. */
function rangesOf(tokenizer: Tokenizer, ids: readonly number[]): { text: string; ranges: Range[] } {
  const stream = tokenizer.decodeStream();
  let text = '';
  const ranges = ids.map((id): Range => {
    const start = text.length;
    text += stream.push([id]);
    return [start, text.length];
  });
  return { text: text + stream.end(), ranges };
}

/** Null: the model gives no such weights, or reads other tokens than the sentence's own, as one that is told the task does. */
export function alignmentOf(translation: Translation, languages: { from: string; to: string }): Alignment | null {
  const { model, source } = translation;
  const { ids, looks } = chosenVersion(translation);
  const encoding = model.tokenizer!.encode(source);
  if (!looks || looks.columns !== encoding.ids.length || looks.rows > ids.length) return null;
  const from = wordsOf(source, encoding.offsets, languages.from);
  const made = rangesOf(model.targetTokenizer ?? model.tokenizer!, ids);
  const to = wordsOf(made.text, made.ranges, languages.to);
  const hasRest = from.places.includes(-1);
  const words = hasRest ? [...from.words, ''] : from.words;
  const weights = to.words.map(() => words.map(() => 0));
  const tokens = to.words.map(() => 0);
  for (let row = 0; row < looks.rows; row++) {
    const word = to.places[row];
    if (word < 0) continue;
    tokens[word]++;
    from.places.forEach((place, column) => {
      weights[word][place < 0 ? words.length - 1 : place] += looks.weights[row * looks.columns + column];
    });
  }
  return { source: words, target: to.words, weights: weights.map((row, i) => row.map((weight) => weight / Math.max(1, tokens[i]))) };
}
