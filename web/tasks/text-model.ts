// What tasks work on: a model, its tokenizer, and a way to run encodings through it.
import { invalidArgument } from '../errors.js';
import type { WasmForwardOptions } from '../module.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { Encoding, ModelInfo, ModelOutput, Task, Tensor } from '../types.js';

export interface TextModel {
  readonly info: ModelInfo;
  readonly tokenizer: BoundTokenizer;
  /** What of encoding `index` is in row `row` of `output`, whose rows are padded to the longest. Called for each encoding, in any order. */
  run(
    encodings: readonly Encoding[],
    logits: WasmForwardOptions['logits'],
    take: (output: ModelOutput, row: number, index: number) => void,
  ): Promise<void>;
}

/** How many tokens of a text the model takes. */
export const mostTokens = ({ info, tokenizer }: Pick<TextModel, 'info' | 'tokenizer'>): number =>
  Math.min(tokenizer.modelMaxLength ?? Infinity, info.contextLength);

/** Row `row` of a tensor [B, …]. */
export function rowOf({ data, shape }: Tensor, row: number): Float32Array {
  const size = data.length / shape[0]!;
  return data.subarray(row * size, (row + 1) * size);
}

/** @param owner the method that is asked for the task */
export function checkTask(owner: string, info: ModelInfo, task: Task): void {
  if (info.tasks.includes(task)) return;
  const known = info.tasks.join(', ') || 'none';
  throw invalidArgument(`${owner}: ${info.modelType} is not made for ${task}; its tasks: ${known}`, { task });
}
