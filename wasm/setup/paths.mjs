// Where the set-up puts what it brings; everything lies in folders that git ignores.
import { fileURLToPath } from 'node:url';
import path from 'node:path';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
export const BUILD = path.join(ROOT, 'build');
export const TOOLCHAIN = path.join(BUILD, 'toolchain');

/** The headers of doctest, xsimd and simdjson. */
export const INCLUDE = path.join(TOOLCHAIN, 'include');

/** A link to the folder of the Emscripten in use, so that presets and scripts need no path of one machine. */
export const EMSCRIPTEN = path.join(TOOLCHAIN, 'emscripten');
