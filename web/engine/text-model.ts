// The loaded model as tasks see it: encodings in, outputs out, in passes of a bounded size.
import { invalidArgument } from '../errors.js';
import type { Instance } from '../instance.js';
import type { WasmForwardOptions, WasmInputs } from '../module.js';
import type { RequestContext } from '../protocol.js';
import type { TextModel } from '../tasks/text-model.js';
import type { Encoding } from '../types.js';
import { finish } from './jobs.js';
import type { Checkpoint } from './load.js';

/** Tokens of one pass, padding included: the outputs have room for it, though it is never computed. */
const TOKENS_A_PASS = 4096;

/** Indices of the encodings by pass, those of like length together, the longest first. */
function passes(lengths: readonly number[], tokens = TOKENS_A_PASS): number[][] {
  const order = lengths.map((_, i) => i).sort((a, b) => lengths[b]! - lengths[a]!);
  const result: number[][] = [];
  while (order.length > 0) {
    const longest = Math.max(1, lengths[order[0]!]!);
    result.push(order.splice(0, Math.max(1, Math.floor(tokens / longest))));
  }
  return result;
}

/** Rows padded to the first, which is the longest. */
function toInputs(encodings: readonly Encoding[]): WasmInputs {
  const rows = encodings.length, cols = encodings[0]!.ids.length;
  const matrix = (listOf: (encoding: Encoding) => number[]): { rows: number; cols: number; data: Int32Array } => {
    const data = new Int32Array(rows * cols);
    encodings.forEach((encoding, b) => data.set(listOf(encoding), b * cols));
    return { rows, cols, data };
  };
  const types = matrix(({ typeIds }) => typeIds);
  return {
    input_ids: matrix(({ ids }) => ids),
    attention_mask: matrix(({ ids }) => ids.map(() => 1)),
    // Segments that are all 0 are as good as none, and some models have no table for them.
    ...(types.data.some((type) => type !== 0) && { token_type_ids: types }),
  };
}

/** @param owner the method that needs a tokenizer */
export function textModel(owner: string, instance: Instance, checkpoint: Checkpoint, context: RequestContext): TextModel {
  const { info, model, tokenizers, gpu } = checkpoint;
  if (!tokenizers) throw invalidArgument(`${owner}: this model has no tokenizer, so that it takes ids only: use forward`);
  return {
    info,
    tokenizer: tokenizers.source,
    async run(encodings, logits, take) {
      const options: WasmForwardOptions = { attentions: false, hidden_states: false, logits, trace: [] };
      for (const pass of passes(encodings.map(({ ids }) => ids.length))) {
        const inputs = toInputs(pass.map((i) => encodings[i]!));
        const output = await finish(instance, gpu, instance.call(() => model.forward(inputs, options)), context);
        pass.forEach((index, row) => take(output, row, index));
      }
    },
  };
}
