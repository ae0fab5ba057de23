// Texts to vectors: feature-extraction.
import type { EmbedOptions } from '../index.js';
import { listOf, type Context } from './context.js';
import { checkNames, invalid } from './options.js';
import { Tensor, normalized, quantized } from './tensor.js';

const POOLINGS = { mean: 'mean', cls: 'cls', first_token: 'cls', last_token: 'last', eos: 'last' } as const satisfies Record<
  string,
  EmbedOptions['pooling']
>;

export interface FeatureExtractionOptions {
  /** How the vectors of a text's tokens become one. Default 'none': they do not. */
  pooling?: 'none' | keyof typeof POOLINGS;
  /** Whether vectors get the length 1. Default: false. */
  normalize?: boolean;
  /** Whether only the signs of pooled vectors are given, as bits. Default: false. */
  quantize?: boolean;
  /** Of the bytes that bits are packed into. Default 'binary': int8. */
  precision?: 'binary' | 'ubinary';
  signal?: AbortSignal;
}
const OPTIONS = ['pooling', 'normalize', 'quantize', 'precision', 'signal'] as const satisfies (keyof FeatureExtractionOptions)[];

/** [B,C] where pooled, else [B,T,C]: texts that are shorter than the longest end in vectors that mean nothing. */
export type FeatureExtraction = (texts: string | readonly string[], options?: FeatureExtractionOptions) => Promise<Tensor>;

/** The last hidden states [B,T,C]. */
async function hiddenStates({ model, tokenizer }: Context, texts: readonly string[], signal?: AbortSignal): Promise<Tensor<'float32'>> {
  const encodings = tokenizer.encodeBatch(texts, { truncation: { maxLength: model.info.contextLength } });
  const longest = Math.max(...encodings.map(({ ids }) => ids.length));
  const padded = (values: readonly number[]): number[] => Array.from({ length: longest }, (_, t) => values[t] ?? 0);
  const inputs = {
    inputIds: encodings.map(({ ids }) => padded(ids)),
    attentionMask: encodings.map(({ attentionMask }) => padded(attentionMask)),
  };
  const { lastHiddenState } = await model.forward(inputs, { logits: 'none', signal });
  return new Tensor('float32', lastHiddenState!.data, lastHiddenState!.shape);
}

async function pooledStates({ model }: Context, texts: readonly string[], options: EmbedOptions): Promise<Tensor<'float32'>> {
  const { data, shape } = await model.embed(texts, options);
  return new Tensor('float32', data, shape);
}

function choose<T extends string>(name: string, value: T, choices: readonly string[]): T {
  if (choices.includes(value)) return value;
  throw invalid(`${name}: ${JSON.stringify(value)} found, one of ${choices.join(', ')} expected`, { option: name });
}

export const featureExtraction = (context: Context): FeatureExtraction =>
  async function extract(texts, options = {}) {
    checkNames(context.task, options, OPTIONS);
    const inputs = listOf<string>(texts);
    const { normalize = false, quantize = false, signal } = options;
    const pooling = choose('pooling', options.pooling ?? 'none', ['none', ...Object.keys(POOLINGS)]);
    const precision = choose('precision', options.precision ?? 'binary', ['binary', 'ubinary']);
    const features =
      pooling === 'none'
        ? await hiddenStates(context, inputs, signal)
        : await pooledStates(context, inputs, { pooling: POOLINGS[pooling], normalize, signal });
    const scaled = pooling === 'none' && normalize ? normalized(features) : features;
    return quantize ? quantized(scaled, precision) : scaled;
  };
