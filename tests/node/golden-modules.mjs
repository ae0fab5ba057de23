// The files of golden/modules in the folder `shared` beside the repository.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GoldenModule } from '../fixtures/golden-module.mjs';

const FOLDER = new URL('../../../shared/golden/modules/', import.meta.url);
export const FOLDER_OF_MODULES = fileURLToPath(FOLDER);

/** Why tests of these files are skipped, or false. */
export const missing = existsSync(FOLDER_OF_MODULES) ? false : 'no folder shared/golden/modules beside the repository';

/** The file of that name, without its ending. */
export const openGolden = (name) =>
  new GoldenModule(readFileSync(new URL(`${name}.safetensors`, FOLDER)), JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')));
