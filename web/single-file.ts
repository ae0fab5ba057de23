// `webformer/single-file`: the public API as one file, for what cannot fetch others. wasm/single-file.mjs puts the parts inside.
export * from './index.js';
