// The public API.
export { capabilities } from './capabilities.js';
export { TransformerError, type ErrorCode } from './errors.js';
export { attention, createLayer, loadWordVectors, positionalEncoding, trainWordVectors } from './later.js';
export { createModel, loadModel, loadTokenizer } from './load.js';
export { causalMask, cosineSimilarity, oneHot, paddingMask } from './pieces.js';
export { trainTokenizer } from './train-tokenizer.js';
export type * from './types.js';
