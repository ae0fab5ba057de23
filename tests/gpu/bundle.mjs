// Modules of this folder, with the parts of web/ that they test, as one script each.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** The text of the bundle of `name`.ts; it runs in a page and in node. */
export async function bundled(name) {
  const { outputFiles } = await build({
    entryPoints: [path.join(HERE, `${name}.ts`)], bundle: true, format: 'esm', target: 'es2022', platform: 'neutral', write: false, logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** What the bundle of `name`.ts exports. It lies in the repository, so that the repository's packages are found from it. */
export async function loadBundled(name) {
  const folder = path.join(HERE, '../../build/tests'), file = path.join(folder, `${name}-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, await bundled(name));
  return import(pathToFileURL(file).href);
}
