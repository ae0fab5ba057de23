// Byte-pair encoding, merge by merge, as the library's trainer learns it from a few words.
import { trainTokenizer } from 'webformer';

export interface Word { text: string; count: number; pieces: string[] }
export interface Pair { left: string; right: string; count: number }

export interface Merging {
  merges: readonly (readonly [string, string])[];
  /** The characters that it starts from. */
  alphabet: readonly string[];
  /** Each different word once, as it is cut after so many merges. */
  words(merges: number): Word[];
  /** Neighbours in those words, the most frequent first, and first of these the one that is merged next. */
  pairs(merges: number): Pair[];
}

/** More than any text of this page has. */
const ALL_MERGES = 1_000_000;

function merged(pieces: readonly string[], [left, right]: readonly [string, string]): string[] {
  const result: string[] = [];
  for (let i = 0; i < pieces.length; i++) {
    const joins = pieces[i] === left && pieces[i + 1] === right;
    result.push(joins ? left + right : pieces[i]);
    if (joins) i++;
  }
  return result;
}

export async function learnMerges(text: string, signal: AbortSignal): Promise<Merging> {
  const tokenizer = await trainTokenizer('bpe', [text], { vocabSize: ALL_MERGES, signal });
  const { merges } = (JSON.parse(tokenizer.save()) as { model: { merges: [string, string][] } }).model;
  const counts = new Map<string, number>();
  for (const word of tokenizer.trace(text).words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const start = Array.from(counts, ([word, count]): Word => ({ text: word, count, pieces: [...word] }));

  const words = (steps: number): Word[] =>
    start.map((word) => ({ ...word, pieces: merges.slice(0, steps).reduce<string[]>(merged, word.pieces) }));

  function pairs(steps: number): Pair[] {
    const found = new Map<string, Pair>();
    for (const { pieces, count } of words(steps)) {
      pieces.slice(1).forEach((right, i) => {
        const key = JSON.stringify([pieces[i], right]);
        const pair = found.get(key) ?? { left: pieces[i], right, count: 0 };
        pair.count += count;
        found.set(key, pair);
      });
    }
    const [left, right] = merges[steps] ?? [];
    const isNext = (pair: Pair) => Number(pair.left === left && pair.right === right);
    return [...found.values()].sort((a, b) => b.count - a.count || isNext(b) - isNext(a));
  }

  return { merges, alphabet: [...new Set(start.flatMap(({ pieces }) => pieces))].sort(), words, pairs };
}
