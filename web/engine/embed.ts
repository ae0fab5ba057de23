// Texts to vectors: the last hidden states of a text's tokens, pooled.
import { invalidArgument } from '../errors.js';
import type { Instance } from '../instance.js';
import type { EmbedOptions, RequestContext } from '../protocol.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { Encoding, Tensor } from '../types.js';
import type { Checkpoint } from './load.js';
import { finish } from './jobs.js';

/** Padded tokens of one pass; the attention of a pass takes its square. */
const TOKENS_A_PASS = 4096;

/** How many tokens of a text the model takes. */
export function mostTokens(checkpoint: Checkpoint, tokenizer: BoundTokenizer): number {
  const limits = [checkpoint.embed.maxLength, tokenizer.modelMaxLength, checkpoint.info.contextLength];
  return Math.min(...limits.filter((limit) => limit !== undefined));
}

/** Indices of the texts, those of like length together, so that little is padded. */
function batches(encodings: readonly Encoding[]): number[][] {
  const order = encodings.map((_, i) => i).sort((a, b) => encodings[b]!.ids.length - encodings[a]!.ids.length);
  const result: number[][] = [];
  while (order.length > 0) {
    const longest = Math.max(1, encodings[order[0]!]!.ids.length);
    result.push(order.splice(0, Math.max(1, Math.floor(TOKENS_A_PASS / longest))));
  }
  return result;
}

/** vector += the pooled rows of hidden [T,C]. */
function pool(hidden: Float32Array, length: number, vector: Float32Array, pooling: NonNullable<EmbedOptions['pooling']>): void {
  const width = vector.length;
  const row = (t: number): Float32Array => hidden.subarray(t * width, (t + 1) * width);
  if (pooling === 'cls') return vector.set(row(0));
  if (pooling === 'last') return vector.set(row(length - 1));
  vector.fill(pooling === 'max' ? -Infinity : 0);
  for (let t = 0; t < length; t++) {
    const token = row(t);
    for (let c = 0; c < width; c++) vector[c] = pooling === 'max' ? Math.max(vector[c]!, token[c]!) : vector[c]! + token[c]! / length;
  }
}

function normalize(vector: Float32Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const scale = 1 / Math.max(Math.sqrt(squares), 1e-12);
  for (let c = 0; c < vector.length; c++) vector[c]! *= scale;
}

export async function embed(
  instance: Instance,
  checkpoint: Checkpoint,
  texts: string[],
  options: EmbedOptions,
  context: RequestContext,
): Promise<Tensor> {
  const { info, model } = checkpoint;
  if (!checkpoint.tokenizers) throw invalidArgument('embed: this model has no tokenizer, so that it takes ids only: use forward');
  if (info.kind === 'encoder-decoder')
    throw invalidArgument(`embed: ${info.modelType} is an encoder-decoder, an encoder or decoder expected`);
  const tokenizer = checkpoint.tokenizers.source;
  const pooling = options.pooling ?? checkpoint.embed.pooling ?? 'mean';
  const normalized = options.normalize ?? checkpoint.embed.normalize ?? true;
  const encodings = tokenizer.encodeBatch(texts, { truncation: { maxLength: mostTokens(checkpoint, tokenizer) } });
  const empty = encodings.findIndex(({ ids }) => ids.length === 0);
  if (empty >= 0) throw invalidArgument(`texts[${empty}]: it has no tokens, so that there is nothing to embed`, { index: empty });

  const result = new Float32Array(texts.length * info.width);
  for (const batch of batches(encodings)) {
    const hidden = await lastHiddenState(batch.map((i) => encodings[i]!));
    const length = encodings[batch[0]!]!.ids.length;
    batch.forEach((i, b) => {
      const vector = result.subarray(i * info.width, (i + 1) * info.width);
      pool(hidden.subarray(b * length * info.width), encodings[i]!.ids.length, vector, pooling);
      if (normalized) normalize(vector);
    });
  }
  return { data: result, shape: [texts.length, info.width] };

  /** [B,T,C], rows padded to the first, which is the longest. */
  async function lastHiddenState(batch: readonly Encoding[]): Promise<Float32Array> {
    const rows = batch.length,
      cols = batch[0]!.ids.length;
    const ids = new Int32Array(rows * cols),
      mask = new Int32Array(rows * cols),
      types = new Int32Array(rows * cols);
    batch.forEach((encoding, b) => {
      ids.set(encoding.ids, b * cols);
      mask.fill(1, b * cols, b * cols + encoding.ids.length);
      types.set(encoding.typeIds, b * cols);
    });
    const inputs = {
      input_ids: { rows, cols, data: ids },
      attention_mask: { rows, cols, data: mask },
      ...(hasTypes(types) && { token_type_ids: { rows, cols, data: types } }),
    };
    const job = instance.call(() => model.forward(inputs, { attentions: false, hidden_states: false, logits: 'none', trace: [] }));
    return (await finish(instance, job, context)).lastHiddenState!.data;
  }
}

/** Segments that are all 0 are as good as none, and some models have no table for them. */
const hasTypes = (types: Int32Array): boolean => types.some((type) => type !== 0);
