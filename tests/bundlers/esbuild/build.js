import { build } from 'esbuild';

// esbuild leaves `new URL('./name', import.meta.url)` as it is: what the package has beside its scripts goes beside the bundle.
const modules = ['webformer', 'webformer-relaxed', 'webformer.extra', 'webformer-relaxed.extra'];
const wasm = Object.fromEntries(modules.map((name) => [name, `webformer/${name}.wasm`]));
await build({
  entryPoints: { main: 'main.js', worker: 'webformer/worker', ...wasm },
  loader: { '.wasm': 'copy' },
  bundle: true,
  format: 'esm',
  splitting: true,
  minify: true,
  outdir: 'dist',
});
