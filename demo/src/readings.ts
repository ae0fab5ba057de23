// What a model reads out of a text, for each errand. It knows nothing of the page.
import type { Answer, FilledMask, Generation, LabelScore, Model, Tokenizer } from 'webformer';
import type { Errand } from './errands';

/** Of the user: the text, and the lines, context or labels beside it. */
export interface Input { text: string; second: string }
export interface Span { label: string; score: number; start: number; end: number }
/** `mask`: how the model writes a gap. */
export type Reading =
  | { kind: 'labels'; scores: readonly LabelScore[] }
  | { kind: 'spans'; text: string; spans: readonly Span[] }
  | { kind: 'masks'; mask: string; masks: readonly (readonly FilledMask[])[] }
  | { kind: 'lines'; lines: readonly { text: string; score: number }[] }
  | { kind: 'answers'; context: string; answers: readonly Answer[] }
  | { kind: 'text'; text: string };

const ANSWERS = 3;
const WORDS = 6;
/** Gaps as the best-known models write them, whatever the model at hand does. */
const GAP = /\[MASK\]|<mask>/gi;

export const linesOf = (text: string): string[] => text.split('\n').map((line) => line.trim()).filter(Boolean);

/** How the model writes a gap. */
export const maskOf = ({ special }: Pick<Tokenizer, 'special'>): string =>
  Object.keys(special).find((token) => /^[[<]mask[\]>]$/i.test(token)) ?? '[MASK]';

/** The gaps of a text, as it is written there. */
export const gapsOf = (text: string): { start: number; end: number }[] =>
  Array.from(text.matchAll(GAP), ({ index, 0: gap }) => ({ start: index, end: index + gap.length }));

/** `text` with `token` in its gap `index`; what goes on with the word before it has the space between taken out. */
export function filled(text: string, index: number, token: string): string {
  const { start, end } = gapsOf(text)[index];
  const goesOn = token.startsWith('##');
  const before = text.slice(0, start);
  return (goesOn ? before.trimEnd() : before) + (goesOn ? token.slice(2) : token.trim()) + text.slice(end);
}

/** Neighbours of one label come joined. Where labels do not say where a thing begins, as parts of speech, they are of each word alone. */
async function spansOf(model: Model, text: string, signal: AbortSignal): Promise<Span[]> {
  const begins = model.info.labels.some((label) => /^[BI]-/.test(label));
  const [tags] = await model.tagTokens(text, { aggregation: 'first', ...(!begins && { ignoreLabels: [] }), signal });
  if (begins) return tags;
  const { offsets, wordIds } = model.tokenizer!.encode(text);
  const words = new Map<number, [start: number, end: number]>();
  wordIds.forEach((word, i) => {
    if (word === null) return;
    const [start, end] = offsets[i];
    words.set(word, [words.get(word)?.[0] ?? start, end]);
  });
  return tags.flatMap(({ label, score, start, end }) => {
    const spans: Span[] = [];
    for (const [from, to] of words.values()) {
      const last = spans.at(-1);
      if (from < start || to > end) continue;
      if (last?.end === from) last.end = to;    // the ' and the t of "can't"
      else spans.push({ label, score, start: from, end: to });
    }
    return spans;
  });
}

async function masksOf(model: Model, text: string, signal: AbortSignal): Promise<Reading> {
  const mask = maskOf(model.tokenizer!);
  const masks = gapsOf(text).length === 0 ? [] : await model.fillMask(text.replace(GAP, mask), { topK: WORDS, signal });
  return { kind: 'masks', mask, masks };
}

async function similarTo(model: Model, { text, second }: Input, signal: AbortSignal): Promise<Reading> {
  const lines = linesOf(second);
  const ranked = lines.length === 0 ? [] : await model.similarity(text.trim(), lines, { signal });
  return { kind: 'lines', lines: ranked.map(({ index, score }) => ({ text: lines[index], score })) };
}

async function answersTo(model: Model, { text, second }: Input, signal: AbortSignal): Promise<Reading> {
  const context = second.trim();
  const answers = context === '' ? [] : await model.answer({ question: text.trim(), context }, { topK: ANSWERS, signal });
  return { kind: 'answers', context, answers };
}

async function summaryOf(generation: Generation, grown: (reading: Reading) => void): Promise<Reading> {
  let sure = '';
  for await (const { text, draft = '' } of generation) {
    sure += text;
    grown({ kind: 'text', text: sure + draft });
  }
  return { kind: 'text', text: await generation.text() };
}

/** `grown` is called with what there is of a reading that comes bit by bit. */
export async function read(
  model: Model, { name }: Errand, input: Input, signal: AbortSignal, grown: (reading: Reading) => void,
): Promise<Reading> {
  const { text, second } = input;
  switch (name) {
    case 'pos':
    case 'slots':
      return { kind: 'spans', text, spans: await spansOf(model, text, signal) };
    case 'mask':
      return masksOf(model, text, signal);
    case 'similar':
      return similarTo(model, input, signal);
    case 'labels': {
      const labels = [...new Set(linesOf(second))];
      return { kind: 'labels', scores: labels.length === 0 ? [] : await model.zeroShot(text, labels, { signal }) };
    }
    case 'answer':
      return answersTo(model, input, signal);
    case 'summary':
      return summaryOf(model.summarize(text, { signal }), grown);
    default:
      return { kind: 'labels', scores: (await model.classify(text, { topK: null, signal }))[0] };
  }
}
