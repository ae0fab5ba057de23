// Texts that are longer than the model takes, part by part: sentences, else as many words as fit.

/** Numbers of tokens of texts, each on its own. */
export type CountTokens = (texts: readonly string[]) => number[];

/** `text` and then `space` make the whole again. */
export interface Part {
  text: string;
  /** The white space after it. */
  space: string;
}

const FINER = ['sentence', 'word', 'grapheme'] as const;

/** The rules of a language that is not named: those of Unicode (UAX 29). */
const segmentsOf = (text: string, granularity: (typeof FINER)[number]): string[] =>
  Array.from(new Intl.Segmenter('en', { granularity }).segment(text), ({ segment }) => segment);

/** Neighbours together, as long as they have no more than `room` tokens. */
function packed(segments: readonly string[], counts: readonly number[], room: number): string[] {
  const packs: string[] = [];
  let used = Infinity;
  segments.forEach((segment, i) => {
    if (used + counts[i]! <= room) {
      packs[packs.length - 1] += segment;
      used += counts[i]!;
    } else {
      packs.push(segment);
      used = counts[i]!;
    }
  });
  return packs;
}

/** Parts of no more than `room` tokens, where there are such. */
function split(text: string, room: number, count: CountTokens, level: number): string[] {
  const granularity = FINER[level];
  if (granularity === undefined) return [text];
  const segments = segmentsOf(text, granularity);
  const pieces = granularity === 'sentence' ? segments : packed(segments, count(segments), room);
  const counts = count(pieces);
  return pieces.flatMap((piece, i) => (counts[i]! <= room ? [piece] : split(piece, room, count, level + 1)));
}

/** A text of white space alone is no part; it goes with the one before. */
export function splitLongText(text: string, room: number, count: CountTokens): Part[] {
  const parts: Part[] = [];
  for (const piece of split(text, room, count, 0)) {
    const body = piece.trimEnd(), last = parts.at(-1);
    if (body === '' && last) last.space += piece;
    else parts.push({ text: body, space: piece.slice(body.length) });
  }
  return parts;
}
