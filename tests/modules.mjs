// `npm run test:modules -- DIR [native] [wasm]`: the layers, models and training runs of a folder like golden/modules, outputs and
// gradients, natively and as WebAssembly. Sizes and names of cases are the folder's own. Prints how many of the expected tensors were
// compared, and of what nothing is built here; another one that nothing computed is a failure. Without DIR, that of ../shared.
import path from 'node:path';
import { buildPreset } from '../wasm/cmake.mjs';
import { setUp } from '../wasm/setup.mjs';
import { ROOT } from '../wasm/setup/paths.mjs';
import { runCounted } from './count.mjs';

const SUITES = {
  native: { preset: 'host', command: (folder) => [path.join(folder, 'webformer_tests')] },
  wasm: { preset: 'wasm', command: (folder) => [process.execPath, path.join(folder, 'webformer_tests.js')] },
};
const OPTIONS = ['--no-colors=true', '--test-suite=modules'];

/** "02_attention: 84 of 84 tensors compared" once a file, "12_word2vec: 7 left out, of glove" where something is not built. */
function countTensors(output) {
  const files = [...output.matchAll(/: (\d+) of (\d+) tensors compared$/gm)];
  const sum = (group) => files.reduce((total, match) => total + Number(match[group]), 0);
  const leftOut = [...output.matchAll(/: (\w+): (\d+) left out, of (.*)$/gm)]
    .map(([, file, count, cases]) => `${count} of ${file} (${cases})`);
  const failures = /assertions:\s*\d+ \|\s*\d+ passed \|\s*(\d+) failed/.exec(output);
  return failures && { compared: sum(1), expected: sum(2), failed: Number(failures[1]), leftOut };
}

const words = process.argv.slice(2);
const named = words.filter((word) => word in SUITES);
const folder = path.resolve(words.find((word) => !(word in SUITES)) ?? path.join(ROOT, '..', 'shared', 'golden', 'modules'));
const suites = named.length > 0 ? named : Object.keys(SUITES);

await setUp(...suites);
const env = { ...process.env, WEBFORMER_MODULES: folder };
const lines = [];
let failed = 0;
for (const name of suites) {
  const built = buildPreset(SUITES[name].preset, ['webformer_tests']);
  const [program, ...args] = built ? SUITES[name].command(built) : ['false'];
  const counts = await runCounted(program, [...args, ...OPTIONS], countTensors, env);
  failed += counts.failed + (counts.compared > 0 ? 0 : 1);
  lines.push(`${name.padEnd(8)}${counts.compared ?? 0} of ${counts.expected ?? 0} tensors compared, ${counts.failed} failures; `
    + `not built: ${counts.leftOut?.join('; ') || 'nothing'}`);
}
console.log(`\n${lines.join('\n')}`);
process.exit(failed === 0 ? 0 : 1);
