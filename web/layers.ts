// webformer/layers: the pieces of the public API, for people who study or build.
export { attention } from './attention.js';
export { createLayer } from './layer.js';
export { causalMask, cosineSimilarity, oneHot, paddingMask } from './pieces.js';
export { positionalEncoding } from './position-tables.js';
export { loadWordVectors } from './word-vectors.js';
