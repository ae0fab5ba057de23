// The headers that the C++ code includes from others: doctest, xsimd, simdjson, all in one include folder.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { hasDebianMirror, unpackPackages } from './debian.mjs';
import { INCLUDE, ROOT, TOOLCHAIN } from './paths.mjs';
import { isStamped, stamp } from './steps.mjs';
import { SetupError } from './system.mjs';

const XSIMD_AT_LEAST = 14;
const UNPACKED = path.join(TOOLCHAIN, 'headers');
const SIMDJSON = path.join(ROOT, 'node_modules/@nozbe/simdjson');

/** Include folders of systems other than Debian, where xsimd and doctest may have been installed by hand. */
const SYSTEM_FOLDERS = ['/opt/homebrew/include', '/usr/local/include', '/usr/include'];

function xsimdVersion(folder) {
  const config = path.join(folder, 'xsimd/config/xsimd_config.hpp');
  return existsSync(config) ? Number(/XSIMD_VERSION_MAJOR\s+(\d+)/.exec(readFileSync(config, 'utf8'))?.[1] ?? 0) : 0;
}

const isUsable = (folder) => existsSync(path.join(folder, 'doctest/doctest.h')) && xsimdVersion(folder) >= XSIMD_AT_LEAST;

async function findHeaders(report) {
  const installed = SYSTEM_FOLDERS.find(isUsable);
  if (installed) return installed;
  if (!hasDebianMirror()) throw new SetupError(`doctest and xsimd ${XSIMD_AT_LEAST} or newer are not in ${SYSTEM_FOLDERS.join(', ')}`);
  await unpackPackages(['libxsimd-dev', 'doctest-dev'], UNPACKED, report);
  return path.join(UNPACKED, 'usr/include');
}

/** @type {import('./steps.mjs').Step} */
export const headersStep = {
  title: 'headers of doctest and xsimd',
  ready: () => isStamped('headers') && isUsable(INCLUDE),
  help: 'Install doctest and xsimd (macOS: brew install doctest xsimd; Debian: check that this machine reaches its mirror), ' +
    'then run the command again.',
  async run(report) {
    const source = await findHeaders(report);
    mkdirSync(INCLUDE, { recursive: true });
    for (const name of ['doctest', 'xsimd'])
      cpSync(path.join(source, name), path.join(INCLUDE, name), { recursive: true, dereference: true });
    rmSync(UNPACKED, { recursive: true, force: true });
    stamp('headers');
  },
};

const simdjsonVersion = () => JSON.parse(readFileSync(path.join(SIMDJSON, 'package.json'), 'utf8')).version;

/** simdjson comes as a development dependency, so this step follows that of the npm packages. @type {import('./steps.mjs').Step} */
export const simdjsonStep = {
  title: 'sources of simdjson',
  ready: () => existsSync(SIMDJSON) && isStamped('simdjson', simdjsonVersion()) && existsSync(path.join(INCLUDE, 'simdjson.cpp')),
  help: 'Delete node_modules and run the command again.',
  async run() {
    mkdirSync(INCLUDE, { recursive: true });
    for (const name of ['simdjson.h', 'simdjson.cpp']) copyFileSync(path.join(SIMDJSON, 'src', name), path.join(INCLUDE, name));
    stamp('simdjson', simdjsonVersion());
  },
};
