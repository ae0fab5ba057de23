// `npm run build`: the package in dist/ and the demo page in build/demo.
import { fileURLToPath } from 'node:url';
import { buildDemo } from '../demo/build.mjs';
import { buildPackage } from './package.mjs';
import { buildPreset } from './cmake.mjs';
import { setUp } from './setup.mjs';

/** The builds of the module that the package ships; the first one's glue serves them all. */
const MODULES = ['webformer', 'webformer-relaxed'];

/** Builds everything that `npm run build` does; false when something failed, which was printed. */
export async function build() {
  await setUp('wasm');
  const folder = buildPreset('wasm', MODULES);
  return folder !== null && await buildPackage(folder, MODULES) && await buildDemo();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(await build() ? 0 : 1);
