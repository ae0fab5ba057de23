// Texts part by part, for models that take one paragraph, or less, at once: sentences, else as many words as fit.

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

/** Whether there is nothing to read: white space, control characters, and what is never seen, such as U+200B. */
export const isBlank = (text: string): boolean => !/[^\p{White_Space}\p{Control}\p{Default_Ignorable_Code_Point}]/u.test(text);

/** Pieces with the white space around them, which is kept between the parts. What is blank is no part. */
function toParts(pieces: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (const piece of pieces) {
    const body = piece.trim(), last = parts.at(-1);
    if (isBlank(body)) {
      if (last) last.space += piece;
      continue;
    }
    const start = piece.length - piece.trimStart().length;
    if (last) last.space += piece.slice(0, start);
    parts.push({ text: body, space: piece.slice(start + body.length) });
  }
  return parts;
}

/** Parts of no more than `room` tokens, where there are such; none of a blank text. */
export const splitLongText = (text: string, room: number, count: CountTokens): Part[] => toParts(split(text, room, count, 0));

/** A text of one paragraph is its only part, as it is. Empty lines are what parts paragraphs. */
export function splitParagraphs(text: string): Part[] {
  const parts = toParts(text.split(/(?=\S)(?<=\n\s*\n[^\S\n]*)/));
  return parts.length === 1 ? [{ text, space: '' }] : parts;
}
