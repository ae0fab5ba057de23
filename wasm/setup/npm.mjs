// What comes from npm: the packages of the lock file, and others that a step keeps in a folder of its own.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { isStamped, stamp } from './steps.mjs';
import { SetupError, findProgram, run } from './system.mjs';

const lockHash = () => createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json'))).digest('hex');

const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund'];

function npm(args, cwd) {
  const program = findProgram('npm');
  if (!program) throw new SetupError('npm is not on PATH', 'Install npm, which comes with node.');
  return run(program, [...args, ...QUIETLY], { cwd });
}

/** Installs packages, `name@version` each, into the node_modules of a folder that is no project. */
export function installPackages(folder, ...packages) {
  mkdirSync(folder, { recursive: true });
  return npm(['install', '--no-save', '--prefix', folder, ...packages], folder);
}

/** @type {import('./steps.mjs').Step} */
export const npmStep = {
  title: 'npm packages',
  ready: () => isStamped('npm', lockHash()) && existsSync(path.join(ROOT, 'node_modules/esbuild')),
  help: 'Check that this machine reaches the npm registry (npm ping), then run the command again.',
  async run() {
    await npm(['ci'], ROOT);
    stamp('npm', lockHash());
  },
};
