// Makes the two scripts of `webformer/single-file`, which have the package's other files inside: a module, and for pages that cannot load
// modules, as those of file: addresses, a classic script that defines `webformer`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const packed = (file) => gzipSync(readFileSync(file), { level: 9 }).toString('base64');

/** Puts `sources` in place of others by their names, the glue where it is imported, and `texts` for what is embedded by their names. */
const inside = (sources, glue, texts) => ({
  name: 'inside',
  setup(build) {
    for (const [name, source] of Object.entries(sources))
      build.onResolve({ filter: new RegExp(`/${name}\\.js$`) }, () => ({ path: source }));
    build.onResolve({ filter: /\/webformer\.mjs$/ }, () => ({ path: glue }));
    build.onResolve({ filter: /^embedded:/ }, ({ path: name }) => ({ path: name, namespace: 'embedded' }));
    const text = ({ path: name }) => ({ contents: texts[name.slice('embedded:'.length)], loader: 'text' });
    build.onLoad({ filter: /./, namespace: 'embedded' }, text);
  },
});

/**
 * @param esbuild @param {object} options of all bundles, with `outdir`
 * @param {string} web the folder of the sources @param {string} glue @param {[string, string]} module the files of the baseline's two parts
 */
export async function writeSingleFile(esbuild, options, web, glue, [first, extra]) {
  const source = (name) => path.join(web, `${name}.ts`);
  const common = { ...options, bundle: true, define: { ...options.define, 'import.meta.url': 'undefined' } };
  const workerPlugins = [inside({ parts: source('single-file/worker-parts') }, glue, {})];
  const worker = await esbuild.build({ ...common, format: 'iife', entryPoints: [source('worker')], write: false, plugins: workerPlugins });
  const texts = { 'worker.js': worker.outputFiles[0].text, 'webformer.wasm': packed(first), 'webformer.extra.wasm': packed(extra) };
  const sources = { parts: source('single-file/parts'), 'worker-script': source('single-file/worker-script') };
  const plugins = [inside(sources, glue, texts)];
  await esbuild.build({ ...common, entryPoints: [source('single-file')], plugins });
  await esbuild.build({
    ...common, entryPoints: { 'single-file.global': source('single-file') }, format: 'iife', globalName: 'webformer', plugins,
  });
}
