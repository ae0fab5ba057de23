// The public API.
export { capabilities } from './capabilities.js';
export { TransformerError, type ErrorCode } from './errors.js';
export { trainWordVectors } from './train-word-vectors.js';
export * from './layers.js';
export { createModel, loadModel, loadTokenizer } from './load.js';
export { trainTokenizer } from './train-tokenizer.js';
export type * from './types.js';
