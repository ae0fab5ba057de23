// Modules of this folder, and of web/gpu, as one script each.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const HERE = path.dirname(fileURLToPath(import.meta.url)), WEB = path.join(HERE, '../../web/gpu');

/** The text of the bundle of `name`.ts; it runs in a page and in node. */
export async function bundled(name) {
  const source = [HERE, WEB].map((folder) => path.join(folder, `${name}.ts`)).find(existsSync);
  const options = { bundle: true, format: 'esm', target: 'es2022', platform: 'neutral', write: false, logLevel: 'warning' };
  const { outputFiles } = await build({ ...options, entryPoints: [source] });
  return outputFiles[0].text;
}

/** What the bundle of `name`.ts exports. It lies in the repository, so that the repository's packages are found from it. */
export async function loadBundled(name) {
  const folder = path.join(HERE, '../../build/tests'), file = path.join(folder, `${name}-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, await bundled(name));
  return import(pathToFileURL(file).href);
}
