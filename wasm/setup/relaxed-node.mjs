// A node whose relaxed SIMD is right: node 20 has none by default, and wrong numbers behind its flag.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { installPackages } from './npm.mjs';
import { TOOLCHAIN } from './paths.mjs';

const PACKAGE = `node-${process.platform}-${process.arch}`;
const VERSION = '24.9.0';
const FOLDER = path.join(TOOLCHAIN, 'node');
const BROUGHT = path.join(FOLDER, 'node_modules', PACKAGE, 'bin/node');

const isRecent = Number(process.versions.node.split('.')[0]) >= 24;

/** The program to run modules with relaxed SIMD by. */
export const relaxedNode = isRecent ? process.execPath : BROUGHT;

/** @type {import('./steps.mjs').Step} */
export const relaxedNodeStep = {
  title: `node ${VERSION} for the tests of relaxed SIMD`,
  ready: () => existsSync(relaxedNode),
  help: 'Run the command by node 24 or newer.',
  run: () => installPackages(FOLDER, `${PACKAGE}@${VERSION}`),
};
