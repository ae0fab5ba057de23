// What the pipelines work on, and how what they give looks.
import type { Model, Tokenizer } from '../index.js';

export interface Context {
  /** As asked for, without its alias: 'translation_en_to_fr' too. */
  readonly task: string;
  readonly model: Model;
  readonly tokenizer: Tokenizer;
}

/** A list for a list, and one for one. */
export type Like<I, O> = I extends readonly unknown[] ? O[] : O;

export const listOf = <I>(input: I | readonly I[]): readonly I[] => (Array.isArray(input) ? (input as readonly I[]) : [input as I]);

/** The answers to each of `listOf(input)`, in the shape of `input`. */
export const like = <I, O>(input: I, outputs: O[]): Like<I, O> => (Array.isArray(input) ? outputs : outputs[0]) as Like<I, O>;

/** One after the other, so that the first error ends it. */
export async function inTurn<I, O>(inputs: readonly I[], work: (input: I, index: number) => Promise<O>): Promise<O[]> {
  const outputs: O[] = [];
  for (const [index, input] of inputs.entries()) outputs.push(await work(input, index));
  return outputs;
}
