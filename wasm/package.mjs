// Makes dist/, the npm package, from the built WebAssembly modules and the TypeScript of web/.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ROOT } from './setup/paths.mjs';
import { writeSingleFile } from './single-file.mjs';
import { buildOf, splitModule } from './split.mjs';

const DIST = path.join(ROOT, 'dist'), WEB = path.join(ROOT, 'web');

/** What a page may download before the weights, compressed: all scripts of the package and the largest module without its extra part. */
const LIMIT = 500_000;

/** The files of web/ that pages and programs name: the public API, the pieces alone, transformers.js' names, and the API's worker. */
const ENTRY_POINTS = ['index', 'layers', 'pipeline', 'worker'];

/** The builds of one source differ in their name only; otherwise a page could not pick one of them by its features. */
function checkGlue(folder, modules) {
  const glue = (name) => readFileSync(path.join(folder, `${name}.mjs`), 'utf8').replaceAll(`${name}.wasm`, 'webformer.wasm');
  const [first, ...others] = modules;
  for (const name of others)
    if (glue(name) !== glue(first)) throw new Error(`${name}.mjs is not ${first}.mjs with another name: one glue cannot serve both`);
}

/** What web/build-id.ts compares: the id of this JavaScript, which is that of its sources, and those of the modules. */
function buildIds(folder, modules) {
  const wasm = modules.map((name) => buildOf(folder, name));
  const hash = createHash('sha256').update(wasm.join());
  for (const name of readdirSync(WEB, { recursive: true }).filter((file) => file.endsWith('.ts')).sort())
    hash.update(name).update(readFileSync(path.join(WEB, name)));
  return { javascript: hash.digest('hex').slice(0, 32), wasm };
}

async function writeFiles(folder, modules) {
  const esbuild = await import('esbuild');
  rmSync(DIST, { recursive: true, force: true });
  const define = { WEBFORMER_BUILD: JSON.stringify(buildIds(folder, modules)) };
  const common = {
    outdir: DIST, format: 'esm', target: 'es2022', minify: true, lineLimit: 500, legalComments: 'none', logLevel: 'warning', define,
  };
  await esbuild.build({
    ...common, entryPoints: ENTRY_POINTS.map((name) => path.join(WEB, `${name}.ts`)), external: ['./webformer.mjs', 'node:*'],
    bundle: true, splitting: true, chunkNames: '[name]-[hash]', sourcemap: true,
  });
  // The module is always handed to the glue: bundlers shall not find its own way to the file.
  const glue = path.join(folder, `${modules[0]}.mjs`);
  await esbuild.build({ ...common, entryPoints: [glue], define: { 'import.meta.url': 'undefined' }, outExtension: { '.js': '.mjs' } });
  const parts = modules.map((name) => splitModule(folder, name));
  for (const file of parts.flat()) copyFileSync(file, path.join(DIST, path.basename(file)));
  await writeSingleFile(esbuild, common, WEB, glue, parts[0]);
  markHiddenImports();
  await writeProgram(esbuild, common);
}

/** Bundlers shall not look for what web/gpu/node-gpu.ts imports. They are told so by comments, which esbuild drops as it minifies. */
function markHiddenImports() {
  const comments = '/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */';
  for (const name of readdirSync(DIST).filter((file) => file.endsWith('.js'))) {
    const file = path.join(DIST, name), script = readFileSync(file, 'utf8');
    const marked = script.replace(/\bimport\((?=[\w$]+\))/g, `import(${comments} `);
    if (marked !== script) writeFileSync(file, marked);
  }
}

/** The package's public API stays the file that it is, at `address` from the file that imports it. */
const publicApiAt = (address) => ({
  name: 'public-api',
  setup: (build) => build.onResolve({ filter: /\/index\.js$/ }, () => ({ path: address, external: true })),
});

/** The command line, its server, and the page of `webformer serve`: users of the public API, each a bundle of its own. */
async function writeProgram(esbuild, common) {
  const source = path.join(ROOT, 'web/cli'), outdir = path.join(DIST, 'cli');
  await esbuild.build({
    ...common, outdir, entryPoints: ['main.ts', 'server.ts'].map((name) => path.join(source, name)), platform: 'node', target: 'node20',
    bundle: true, splitting: true, chunkNames: '[name]-[hash]', plugins: [publicApiAt('../index.js')],
  });
  chmodSync(path.join(outdir, 'main.js'), 0o755);
  const page = path.join(outdir, 'page');
  await esbuild.build({
    ...common, outdir: page, entryPoints: ['page.ts', 'page.css'].map((name) => path.join(source, 'page', name)), bundle: true,
    plugins: [publicApiAt('./webformer/index.js')],
  });
  cpSync(path.join(source, 'page/index.html'), path.join(page, 'index.html'));
}

function writeTypes() {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', 'web', '--outDir', DIST], { stdio: 'inherit', cwd: ROOT }).status === 0;
}

/** Prints each shipped file with its size, and holds what a page downloads to the limit. */
function checkSizes() {
  const files = readdirSync(DIST, { recursive: true }).filter((name) => /\.(m?js|wasm)$/.test(name)).sort();
  const sizes = files.map((name) => {
    const bytes = readFileSync(path.join(DIST, name));
    return { name, raw: bytes.length, brotli: brotliCompressSync(bytes).length };
  });
  const row = (name, raw, brotli) => console.log(`${name.padEnd(28)}${String(raw).padStart(10)}${String(brotli).padStart(10)}`);
  row('dist/', 'bytes', 'brotli');
  for (const { name, raw, brotli } of sizes) row(name, raw, brotli);

  const isModule = ({ name }) => name.endsWith('.wasm');
  const isExtra = ({ name }) => name.endsWith('.extra.wasm');
  const isApart = ({ name }) => name.startsWith(`cli${path.sep}`) || name.startsWith('single-file');
  const code = sizes.filter((file) => !isModule(file) && !isApart(file)).reduce((sum, { brotli }) => sum + brotli, 0);
  const total = code + Math.max(...sizes.filter((file) => isModule(file) && !isExtra(file)).map(({ brotli }) => brotli));
  const what = `${total} bytes (all scripts and the largest module, brotli) of ${LIMIT} allowed`;
  console.log(`A page downloads at most ${what}; .extra.wasm only for training and pieces.`);
  return total <= LIMIT;
}

/** @param folder where CMake put the modules @param {string[]} modules their names, without extension */
export async function buildPackage(folder, modules) {
  checkGlue(folder, modules);
  await writeFiles(folder, modules);
  return writeTypes() && checkSizes();
}
