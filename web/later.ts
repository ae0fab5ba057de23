// Parts of the API that are not built yet. Each refuses by its name.
import { TransformerError } from './errors.js';
import type {
  Layer,
  LayerKind,
  Tensor,
  TrainingRun,
  WordVectorOptions,
  WordVectors,
} from './types.js';

export const lacking = (name: string): TransformerError => new TransformerError('unsupported_model', `${name} is not supported yet`);

const refuse = async (name: string): Promise<never> => {
  throw lacking(name);
};

export function createLayer(
  _kind: LayerKind,
  _options: Readonly<Record<string, unknown>>,
  _weights?: ReadonlyMap<string, Tensor>,
): Promise<Layer> {
  return refuse('createLayer');
}

export function trainWordVectors(
  _texts: Iterable<string> | AsyncIterable<string>,
  _options?: WordVectorOptions,
): TrainingRun & { vectors(): Promise<WordVectors> } {
  throw lacking('trainWordVectors');
}
