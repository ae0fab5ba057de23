// Makes build/demo: the page's own files, and beside them the package as npm would install it.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BUILD, ROOT } from '../wasm/setup/paths.mjs';

const SOURCE = path.join(ROOT, 'demo');
export const DEMO = path.join(BUILD, 'demo');

/** The page imports `webformer` by name; its files lie in a folder of that name, since a strict CSP leaves no inline import map. */
const packageBesidePage = {
  name: 'package-beside-page',
  setup: (build) => build.onResolve({ filter: /^webformer$/ }, () => ({ path: './webformer/index.js', external: true })),
};

/** Bundles the page's scripts and styles into `folder`; `plugins` say where `webformer` is. */
export async function buildPage(folder, plugins = [packageBesidePage]) {
  const esbuild = await import('esbuild');
  for (const name of ['index.html', 'icon.svg']) cpSync(path.join(SOURCE, name), path.join(folder, name));
  const common = { outdir: folder, bundle: true, target: 'es2022', minify: true, sourcemap: true, logLevel: 'warning' };
  const source = (name) => path.join(SOURCE, name);
  await esbuild.build({ ...common, entryPoints: { page: source('src/main.ts') }, format: 'esm', plugins });
  await esbuild.build({ ...common, entryPoints: { early: source('src/early.ts') }, format: 'iife' });
  await esbuild.build({ ...common, entryPoints: { page: source('styles/page.css') }, target: 'chrome123' });
}

/** The whole page with the models and the package. */
export async function buildDemo() {
  rmSync(DEMO, { recursive: true, force: true });
  const copyWithout = (pattern, from, to) => cpSync(from, path.join(DEMO, to), { recursive: true, filter: (file) => !pattern.test(file) });
  copyWithout(/(golden\.json|\.md)$/, path.join(SOURCE, 'models'), 'models');
  copyWithout(/\.(d\.ts|map)$|[\\/]cli$/, path.join(ROOT, 'dist'), 'webformer');
  await buildPage(DEMO);
  return true;
}
