// What is missing in a text, or asked of it: fill-mask, question-answering.
import type { AnswerOptions, FillMaskOptions } from '../index.js';
import { inTurn, like, listOf, type Context, type Like } from './context.js';
import { TOP_K, invalid, renamed, topKOf, type Renamed, type TopK } from './options.js';

// ---- fill-mask --------------------------------------------------------------------------------------------------------------------

const FILL_MASK = { targets: 'targets', signal: 'signal' } as const;

/** `sequence`: the text with `token_str` in place of its first mask. */
export interface FillMaskResult {
  score: number;
  token: number;
  token_str: string;
  sequence: string;
}

export type FillMask = <I extends string | readonly string[]>(
  texts: I,
  options?: TopK<number> & Renamed<typeof FILL_MASK, FillMaskOptions>,
) => Promise<Like<I, FillMaskResult[]>>;

export const fillMask = ({ task, model }: Context): FillMask =>
  async function fill(texts, options = {}) {
    const settings = { ...renamed<FillMaskOptions>(task, options, FILL_MASK, TOP_K), topK: topKOf(options, 5) };
    const results = await inTurn(listOf<string>(texts), async (text) => {
      const [first] = await model.fillMask(text, settings);
      return first!.map(({ score, id, token, text: sequence }): FillMaskResult => ({ score, token: id, token_str: token, sequence }));
    });
    return like(texts, results);
  };

// ---- question-answering -----------------------------------------------------------------------------------------------------------

const ANSWER = { max_seq_len: 'maxLength', doc_stride: 'stride', handle_impossible_answer: 'handleImpossible', signal: 'signal' } as const;

/** `start` and `end` are UTF-16 offsets in the context. */
export interface AnswerResult {
  answer: string;
  score: number;
  start: number;
  end: number;
}

/** One answer a question, or a list where more are asked for. */
export type Answers<K> = number extends K ? AnswerResult | AnswerResult[] : K extends 1 ? AnswerResult : AnswerResult[];

export type QuestionAnswering = <I extends string | readonly string[], const K extends number = 1>(
  question: I,
  context: I extends string ? string : readonly string[],
  options?: TopK<K> & Renamed<typeof ANSWER, AnswerOptions>,
) => Promise<Like<I, Answers<K>>>;

export const questionAnswering = ({ task, model }: Context): QuestionAnswering =>
  async function answer(question, context, options = {}) {
    const topK = topKOf<number>(options, 1);
    const settings = { ...renamed<AnswerOptions>(task, options, ANSWER, TOP_K), topK };
    const questions = listOf<string>(question), contexts = listOf<string>(context);
    if (Array.isArray(question) !== Array.isArray(context) || questions.length !== contexts.length)
      throw invalid(`${task}: ${questions.length} questions and ${contexts.length} contexts found, a context for each question expected`);
    const results = await inTurn(questions, async (text, i) => {
      const found = await model.answer({ question: text, context: contexts[i]! }, settings);
      const answers = found.map(({ text: answer, score, start, end }): AnswerResult => ({ answer, score, start, end }));
      return topK === 1 ? answers[0]! : answers;
    });
    return like(question, results) as Like<typeof question, Answers<never>>;
  };
