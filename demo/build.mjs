// Makes build/demo: the page's own files, and beside them the package as npm would install it.
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, readdirSync, rmSync } from 'node:fs';
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
  for (const name of ['index.html', 'icon.svg', 'manifest.webmanifest']) cpSync(path.join(SOURCE, name), path.join(folder, name));
  const common = { outdir: folder, bundle: true, target: 'es2022', minify: true, sourcemap: true, logLevel: 'warning' };
  const source = (name) => path.join(SOURCE, name);
  const split = { splitting: true, chunkNames: 'page-[name]-[hash]' };    // what a tab alone needs is fetched when it is first shown
  await esbuild.build({ ...common, ...split, entryPoints: { page: source('src/main.ts') }, format: 'esm', plugins });
  await esbuild.build({ ...common, entryPoints: { early: source('src/early.ts') }, format: 'iife' });
  await esbuild.build({ ...common, entryPoints: { page: source('styles/page.css') }, target: 'chrome123' });
}

/** Of the package, the page imports only `webformer`. */
const UNUSED = /\.map$|^webformer\/(layers|pipeline|single-file[.\w]*)\.js$/;

/** The worker that keeps all that the page needs, which is to be built when all the rest lies in `folder`. */
async function buildServiceWorker(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = entries.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
  const used = names.filter((name) => !UNUSED.test(name)).sort();
  const isLeft = (name) => KEPT_ON_USE.some((model) => name.startsWith(`models/${model}/`));
  const files = used.filter((name) => !isLeft(name));
  const hash = createHash('sha256');
  for (const name of files) hash.update(`${name}\0`).update(readFileSync(path.join(folder, name)));
  const FILES = ['./', ...files];
  const LEFT = used.filter(isLeft);
  const { build } = await import('esbuild');
  await build({
    entryPoints: [path.join(SOURCE, 'src/service-worker.ts')], outdir: folder, bundle: true, target: 'es2022', format: 'iife', minify: true,
    define: Object.fromEntries(Object.entries({ VERSION: hash.digest('hex').slice(0, 16), FILES, LEFT })
      .map(([name, value]) => [name, JSON.stringify(value)])),
    logLevel: 'warning',
  });
}

/** What src/models.ts offers, first those that the service worker keeps from the first visit on for use without a network. */
const KEPT = ['en-fr', 'tales'];
/** The package keeps these when they are first used. */
const KEPT_ON_USE = ['fr-en', 'pos-tags', 'slots', 'intents', 'spam', 'fill-mask'];

/** The whole page with its models and the package. */
export async function buildDemo() {
  rmSync(DEMO, { recursive: true, force: true });
  const copyWithout = (pattern, from, to) => cpSync(from, path.join(DEMO, to), { recursive: true, filter: (file) => !pattern.test(file) });
  const models = [...KEPT, ...KEPT_ON_USE];
  for (const name of models) copyWithout(/(golden\.json|\.md|\.mjs)$/, path.join(SOURCE, 'models', name), `models/${name}`);
  copyWithout(/\.(d\.ts|map)$|[\\/]cli$/, path.join(ROOT, 'dist'), 'webformer');
  await buildPage(DEMO);
  await buildServiceWorker(DEMO);
  return true;
}
