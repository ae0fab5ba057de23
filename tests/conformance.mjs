// Runs the conformance scripts of a folder `shared` beside the repository for the goldens listed in tests/conformance.txt.
//   node tests/conformance.mjs [--shared DIR]
// A line of the list: script, name of the golden, options of the script if any.
// Ends with 'N passed, N failed'; a listed golden that was skipped is a failure.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../wasm/build.mjs';
import { setUp } from '../wasm/setup.mjs';
import { ROOT } from '../wasm/setup/paths.mjs';
import { VOCABULARIES } from '../wasm/setup/vocabularies.mjs';
import { countPlain, runCounted } from './count.mjs';
import { useSoftwareGpu } from './gpu/software.mjs';

const { values } = parseArgs({ options: { shared: { type: 'string', default: path.join(ROOT, '../shared') } } });
const shared = path.resolve(values.shared);

/** Where each script finds its goldens and its data. */
const FOLDERS = {
  'models.mjs': ['--golden', 'golden/models'],
  'tasks.mjs': ['--golden', 'golden/tasks'],
  'tokenizers.mjs': ['--golden', 'golden/tokenizers', '--data', 'data/tokenizers'],
  'tokenizer_training.mjs': ['--golden', 'golden/tokenizer_training', '--data', 'data'],
};

/** The lines of the list, those with the same script and options together, since a script runs many goldens at once. */
function readList() {
  const runs = new Map();
  for (const line of readFileSync(path.join(ROOT, 'tests/conformance.txt'), 'utf8').split('\n')) {
    const [script, name, ...options] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!script) continue;
    if (!name || !(script in FOLDERS))
      throw new Error(`tests/conformance.txt: '${line}' is not 'script name [options]' with one of ${Object.keys(FOLDERS).join(', ')}`);
    const key = [script, ...options].join(' ');
    const run = runs.get(key) ?? { script, options, names: [] };
    run.names.push(name);
    runs.set(key, run);
  }
  return [...runs.values()];
}

async function runScript({ script, options, names }) {
  console.log(`\n== ${[script, ...options].join(' ')}: ${names.length} listed ==`);
  const folders = FOLDERS[script].map((word) => (word.startsWith('--') ? word : path.join(shared, word)));
  const packages = script === 'tokenizers.mjs' ? ['--npm', VOCABULARIES] : [];
  const program = path.join(shared, 'conformance', script);
  const args = ['--package', ROOT, ...folders, ...packages, '--only', names.join(','), ...options];
  if (options.includes('webgpu')) useSoftwareGpu();
  const { passed, failed, skipped = 0 } = await runCounted(process.execPath, [program, ...args], countPlain);
  const missing = Math.max(skipped, names.length - passed - failed);
  if (missing > 0) console.error(`${script}: ${missing} of the listed goldens were not run`);
  return { passed, failed: failed + missing };
}

const runs = readList();
let passed = 0, failed = 0;
if (runs.length > 0) {
  if (!existsSync(path.join(shared, 'conformance'))) {
    console.error(`${shared} has no conformance scripts: name the folder by --shared`);
    process.exit(1);
  }
  if (runs.some(({ script }) => script === 'tokenizers.mjs')) await setUp('vocabularies');
  if (!await build()) process.exit(1);
  for (const run of runs) {
    const result = await runScript(run);
    passed += result.passed;
    failed += result.failed;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
