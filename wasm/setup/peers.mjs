// The other libraries that `npm run bench` measures against: the kit of ../shared/peers, installed with its models in build/bench.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BUILD, ROOT } from './paths.mjs';
import { isStamped, stamp } from './steps.mjs';
import { SetupError, run } from './system.mjs';

const SOURCE = path.join(ROOT, '..', 'shared', 'peers');

export const PEERS = path.join(BUILD, 'bench');

const inputs = () => (existsSync(SOURCE) ? ['package.json', 'make-models.mjs', 'peers.mjs'] : [])
  .map((name) => readFileSync(path.join(SOURCE, name), 'utf8')).join('\0');

/** @type {import('./steps.mjs').Step} */
export const peersStep = {
  title: 'the libraries to measure against, and their models (2 GB)',
  ready: () => existsSync(path.join(PEERS, 'models', 'manifest.json')) && isStamped('peers', inputs()),
  help: 'They come from the npm registry; check that `npm view onnxruntime-web` works, then run the command again.',
  async run(report) {
    if (!existsSync(SOURCE)) throw new SetupError(`${SOURCE} is not there`, 'The kit of benchmarks lies beside the repository.');
    cpSync(SOURCE, PEERS, { recursive: true });
    report('npm install', 1, 2);
    await run('npm', ['install', '--ignore-scripts'], { cwd: PEERS });
    report('models', 2, 2);
    await run(process.execPath, ['make-models.mjs', 'models'], { cwd: PEERS });
    stamp('peers', inputs());
  },
};
