// A question to the part of a text that answers it; as transformers' QuestionAnsweringPipeline, with answers aligned to words.
import { invalidArgument } from '../errors.js';
import type { Answer, AnswerOptions, Encoding } from '../types.js';
import { ranked, topIndices } from './scores.js';
import { mostTokens, rowOf, type TextModel } from './text-model.js';

/** A window: the question and as much of the context as the model takes at once. */
const DEFAULT_WINDOW = 384;
const DEFAULT_STRIDE = 128;
/** The most tokens of an answer. */
const LONGEST_ANSWER = 15;
/** Several spans become one answer when they are widened to whole words, so more are looked at than are wanted. */
const spansFor = (topK: number): number => 2 * topK + 10;

interface Span {
  start: number;
  end: number;
  score: number;
}

/** Softmax over the tokens that an answer may have; 0 for the others. */
function probabilities(logits: Float32Array, allowed: readonly boolean[]): Float64Array {
  let most = -Infinity;
  allowed.forEach((is, t) => is && (most = Math.max(most, logits[t]!)));
  const result = Float64Array.from(allowed, (is, t) => (is ? Math.exp(logits[t]! - most) : 0));
  const sum = result.reduce((a, b) => a + b, 0) || 1;
  return result.map((value) => value / sum);
}

/** The likeliest spans of tokens, `end` included. A span's score: the probability of its start times that of its end. */
function bestSpans(start: Float64Array, end: Float64Array, count: number): Span[] {
  const spans: Span[] = [];
  start.forEach((first, s) => {
    if (first === 0) return;
    for (let e = s; e < Math.min(s + LONGEST_ANSWER, end.length); e++) {
      if (end[e]! > 0) spans.push({ start: s, end: e, score: first * end[e]! });
    }
  });
  return topIndices(spans.map(({ score }) => score), count).map((i) => spans[i]!);
}

/** Offsets in the context of a span, widened to whole words. */
function place({ offsets, wordIds }: Encoding, isContext: readonly boolean[], span: Span): [number, number] {
  let { start, end } = span;
  const isSameWord = (a: number, b: number): boolean => isContext[b] === true && wordIds[a] !== null && wordIds[a] === wordIds[b];
  while (isSameWord(start, start - 1)) start--;
  while (isSameWord(end, end + 1)) end++;
  return [offsets[start]![0], offsets[end]![1]];
}

export async function answer(
  model: TextModel,
  question: string,
  context: string,
  { topK = 1, maxLength, stride, handleImpossible = false }: Omit<AnswerOptions, 'signal'>,
): Promise<Answer[]> {
  const { tokenizer } = model;
  const most = mostTokens(model);
  if (maxLength !== undefined && maxLength > model.info.contextLength)
    throw invalidArgument(`maxLength: ${maxLength} found, at most ${model.info.contextLength} expected, the context of the model`);
  const window = maxLength ?? Math.min(most, DEFAULT_WINDOW);
  const overlap = stride ?? Math.min(Math.floor(window / 2), DEFAULT_STRIDE);
  const whole = tokenizer.encode(question, { pair: context, truncation: { maxLength: window, stride: overlap, strategy: 'only_second' } });
  const windows = [whole, ...whole.overflow];
  const asked = tokenizer.encode(question, { addSpecialTokens: false }).ids.length;
  const first = tokenizer.special[tokenizer.names['cls_token'] ?? ''];

  const answersOf: { answers: Answer[]; impossible: number }[] = [];
  await model.run(windows, 'none', (output, row, index) => {
    const encoding = windows[index]!;
    let seen = 0;
    const isContext = encoding.specialMask.map((special) => !special && ++seen > asked);
    // The first token stands for "there is no answer", and takes its part of the probability.
    const allowed = isContext.map((is, t) => is || encoding.ids[t] === first);
    const start = probabilities(rowOf(output.startLogits!, row), allowed);
    const end = probabilities(rowOf(output.endLogits!, row), allowed);
    const impossible = start[0]! * end[0]!;
    start[0] = end[0] = 0;
    const answers = bestSpans(start, end, spansFor(topK)).map((span) => {
      const [from, to] = place(encoding, isContext, span);
      return { text: context.slice(from, to), score: span.score, start: from, end: to };
    });
    answersOf[index] = { answers, impossible };
  });

  const answers = joined(answersOf.flatMap((window) => window.answers));
  if (handleImpossible) answers.push({ text: '', score: Math.min(...answersOf.map(({ impossible }) => impossible)), start: 0, end: 0 });
  return ranked(answers, topK);
}

/** Answers of the same words, but for their case, are one: the first, with the scores of all. */
function joined(answers: readonly Answer[]): Answer[] {
  const byText = new Map<string, Answer>();
  for (const answer of answers) {
    const key = answer.text.toLowerCase(), known = byText.get(key);
    if (known) known.score += answer.score;
    else byText.set(key, { ...answer });
  }
  return [...byText.values()];
}
