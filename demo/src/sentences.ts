// A text as the sentences that are translated one by one, and what stands between them.

/** `gap`: the white space behind it, kept as it is. */
export interface Sentence { text: string; gap: string }

/** The models were trained on single sentences; a longer run of words is cut at a comma, else at a space. */
const MAX_CHARACTERS = 240;

function cut(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > MAX_CHARACTERS) {
    const head = rest.slice(0, MAX_CHARACTERS);
    const clause = Math.max(...[', ', '; ', ': '].map((mark) => head.lastIndexOf(mark))) + 1;
    const space = head.lastIndexOf(' ');
    const end = clause > MAX_CHARACTERS / 3 ? clause : space > 0 ? space : MAX_CHARACTERS;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

/** The sentences of `text`, joined with their gaps they are the text again, but for white space at its beginning. */
export function splitSentences(text: string, language: string): Sentence[] {
  const segments = new Intl.Segmenter(language, { granularity: 'sentence' }).segment(text.trimStart());
  const pieces = Array.from(segments, ({ segment }) => cut(segment)).flat();
  const sentences: Sentence[] = [];
  for (const piece of pieces) {
    const core = piece.trim();
    const previous = sentences.at(-1);
    if (core === '') {
      if (previous) previous.gap += piece;
      continue;
    }
    const start = piece.indexOf(core);
    if (previous && previous.gap === '') previous.gap = piece.slice(0, start);
    sentences.push({ text: core, gap: piece.slice(start + core.length) });
  }
  return sentences;
}
