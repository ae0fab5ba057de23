// The npm packages of the lock file.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './paths.mjs';
import { isStamped, stamp } from './steps.mjs';
import { SetupError, findProgram, run } from './system.mjs';

const lockHash = () => createHash('sha256').update(readFileSync(path.join(ROOT, 'package-lock.json'))).digest('hex');

/** @type {import('./steps.mjs').Step} */
export const npmStep = {
  title: 'npm packages',
  ready: () => isStamped('npm', lockHash()) && existsSync(path.join(ROOT, 'node_modules/esbuild')),
  help: 'Check that this machine reaches the npm registry (npm ping), then run the command again.',
  async run() {
    const npm = findProgram('npm');
    if (!npm) throw new SetupError('npm is not on PATH', 'Install npm, which comes with node.');
    await run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: ROOT });
    stamp('npm', lockHash());
  },
};
