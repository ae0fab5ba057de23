// Parts of the API that are not built yet. Each refuses by its name.
import { TransformerError } from './errors.js';
import type { TrainingRun, WordVectorOptions, WordVectors } from './types.js';

export const lacking = (name: string): TransformerError => new TransformerError('unsupported_model', `${name} is not supported yet`);

export function trainWordVectors(
  _texts: Iterable<string> | AsyncIterable<string>,
  _options?: WordVectorOptions,
): TrainingRun & { vectors(): Promise<WordVectors> } {
  throw lacking('trainWordVectors');
}
