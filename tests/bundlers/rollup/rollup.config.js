import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import resolve from '@rollup/plugin-node-resolve';

// Rollup leaves `new URL('./name', import.meta.url)` as it is: what the package has beside its scripts goes beside the bundle.
const modules = ['webformer.wasm', 'webformer-relaxed.wasm', 'webformer.extra.wasm', 'webformer-relaxed.extra.wasm'];
const beside = {
  name: 'beside',
  buildStart() {
    for (const fileName of modules)
      this.emitFile({ type: 'asset', fileName, source: readFileSync(fileURLToPath(import.meta.resolve(`webformer/${fileName}`))) });
  },
};

export default {
  input: { main: 'main.js', worker: 'webformer/worker' },
  plugins: [resolve({ browser: true }), beside],
  output: { dir: 'dist' },
};
