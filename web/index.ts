// The public API.
export { attention } from './attention.js';
export { capabilities } from './capabilities.js';
export { TransformerError, type ErrorCode } from './errors.js';
export { createLayer, trainWordVectors } from './later.js';
export { createModel, loadModel, loadTokenizer } from './load.js';
export { causalMask, cosineSimilarity, oneHot, paddingMask } from './pieces.js';
export { positionalEncoding } from './position-tables.js';
export { trainTokenizer } from './train-tokenizer.js';
export type * from './types.js';
export { loadWordVectors } from './word-vectors.js';
