// The public API.
export { capabilities } from './capabilities.js';
export { TransformerError, type ErrorCode } from './errors.js';
export { attention, createLayer, loadWordVectors, positionalEncoding, trainTokenizer, trainWordVectors } from './later.js';
export { createModel, loadModel, loadTokenizer } from './load.js';
export { causalMask, cosineSimilarity, oneHot, paddingMask } from './pieces.js';
export type * from './types.js';
