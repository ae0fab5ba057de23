// Other versions of node than the one that runs: those that the package is to run in. The newest has right relaxed SIMD too (node 20 has
// none by default, and wrong numbers behind its flag).
import { existsSync } from 'node:fs';
import path from 'node:path';
import { installPackages } from './npm.mjs';
import { TOOLCHAIN } from './paths.mjs';

const VERSIONS = { 20: '20.20.2', 22: '22.23.5', 24: '24.9.0' };
const PACKAGE = `node-${process.platform}-${process.arch}`;
const OWN = Number(process.versions.node.split('.')[0]);

export const MAJORS = Object.keys(VERSIONS).map(Number);

const folderOf = (major) => path.join(TOOLCHAIN, `node-${major}`);

/** The program of a version, which its step brings where it is not the one that runs. */
export const nodeOf = (major) => (major === OWN ? process.execPath : path.join(folderOf(major), 'node_modules', PACKAGE, 'bin/node'));

/** The program to run modules with relaxed SIMD by. */
export const relaxedNode = OWN >= 24 ? process.execPath : nodeOf(24);

/** @returns {import('./steps.mjs').Step} */
const nodeStep = (major, program) => ({
  title: `node ${VERSIONS[major]}`,
  ready: () => existsSync(program),
  help: `Check that this machine reaches the npm registry (npm ping), and that it has ${PACKAGE}; or run the command by node ${major}.`,
  run: () => installPackages(folderOf(major), `${PACKAGE}@${VERSIONS[major]}`),
});

export const relaxedNodeStep = nodeStep(24, relaxedNode);
export const nodeSteps = MAJORS.map((major) => nodeStep(major, nodeOf(major)));
