// Parts of the API that are not built yet. Each refuses by its name.
import { TransformerError } from './errors.js';
import type {
  AttentionOptions,
  Layer,
  LayerKind,
  ModelSource,
  PositionalEncodingOptions,
  Tensor,
  TrainingRun,
  WordVectorOptions,
  WordVectors,
} from './types.js';

export const lacking = (name: string): TransformerError => new TransformerError('unsupported_model', `${name} is not supported yet`);

const refuse = async (name: string): Promise<never> => {
  throw lacking(name);
};

export function attention(
  _query: Tensor,
  _key: Tensor,
  _value: Tensor,
  _options?: AttentionOptions,
): Promise<{ output: Tensor; weights: Tensor }> {
  return refuse('attention');
}

export function createLayer(
  _kind: LayerKind,
  _options: Readonly<Record<string, unknown>>,
  _weights?: ReadonlyMap<string, Tensor>,
): Promise<Layer> {
  return refuse('createLayer');
}

export function positionalEncoding(_kind: 'sinusoidal' | 'rope' | 'alibi' | 't5', _options: PositionalEncodingOptions): Promise<Tensor> {
  return refuse('positionalEncoding');
}

export function trainWordVectors(
  _texts: Iterable<string> | AsyncIterable<string>,
  _options?: WordVectorOptions,
): TrainingRun & { vectors(): Promise<WordVectors> } {
  throw lacking('trainWordVectors');
}

export function loadWordVectors(_source: ModelSource): Promise<WordVectors> {
  return refuse('loadWordVectors');
}
