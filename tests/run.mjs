// `npm test`, or some of it:
//   node tests/run.mjs [native] [baseline] [sanitizers] [wasm] [relaxed] [node] [browser] [real] [bundlers] [-- options of the tests]
//   native, baseline, sanitizers   the doctest cases of tests/cpp, and webformer-train: with AVX2 where there is; with SSE2; with ASan
//                                  and UBSan
//   wasm, relaxed                  the same as WebAssembly in node, without and with relaxed SIMD
//   node, browser                  the built package: tests/node in node, tests/browser in Chromium
//   real                           the same with real checkpoints, which it downloads (176 MB); not a part of `npm test`
//   other-browsers                 tests/other-browsers in Firefox and WebKitGTK; not a part of it either
//   cycles                         a thousand loads and disposes in a page, and the memory after them: four minutes; not a part of it
//   bundlers                       the packed package in projects of bundlers and in three versions of node; not a part of it either
// Ends with 'N passed, N failed'; a run of no test fails.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from '../wasm/build.mjs';
import { buildPreset } from '../wasm/cmake.mjs';
import { setUp } from '../wasm/setup.mjs';
import { chromiumPath } from '../wasm/setup/chromium.mjs';
import { relaxedNode } from '../wasm/setup/nodes.mjs';
import { ROOT } from '../wasm/setup/paths.mjs';
import { countDoctest, countNodeTest, runCounted } from './count.mjs';

/** As WebAssembly, doctest takes every output for a terminal. */
const plainText = process.stdout.isTTY ? [] : ['--no-colors=true'];

const NOTHING_BUILT = { passed: 0, failed: 1 };

/** The doctest cases, and those of the program for training, unless options choose among the former. */
async function runNative(preset, options) {
  const folder = buildPreset(preset, ['webformer_tests', 'webformer-train']);
  if (!folder) return NOTHING_BUILT;
  const cases = await runCounted(path.join(folder, 'webformer_tests'), [...plainText, ...options], countDoctest);
  if (options.length > 0) return cases;
  const env = { ...process.env, WEBFORMER_TRAIN: path.join(folder, 'webformer-train') };
  const program = await runCounted(
    process.execPath, ['--test', '--test-reporter=spec', path.join(ROOT, 'tests/native/train.test.mjs')], countNodeTest, env,
  );
  return { passed: cases.passed + program.passed, failed: cases.failed + program.failed };
}

async function runWasm(options) {
  const folder = buildPreset('wasm', ['webformer_tests']);
  if (!folder) return NOTHING_BUILT;
  return runCounted(process.execPath, [path.join(folder, 'webformer_tests.js'), ...plainText, ...options], countDoctest);
}

async function runRelaxed(options) {
  const folder = buildPreset('wasm', ['webformer_tests-relaxed']);
  if (!folder) return NOTHING_BUILT;
  return runCounted(relaxedNode, [path.join(folder, 'webformer_tests-relaxed.js'), ...plainText, ...options], countDoctest);
}

const REPORTERS = [
  ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
  ...[`--test-reporter=${pathToFileURL(path.join(ROOT, 'tests/ends.mjs'))}`, '--test-reporter-destination=stderr'],
];

/** The package's tests need it built, once for both folders. */
let built;
async function runPackage(folder, options) {
  const source = path.join(ROOT, 'tests', folder);
  const names = existsSync(source) ? readdirSync(source).filter((name) => name.endsWith('.test.mjs')) : [];
  if (names.length === 0) return { passed: 0, failed: 0 };
  built ??= build();
  if (!await built) return NOTHING_BUILT;
  const env = { ...process.env, CHROMIUM: chromiumPath() ?? '' };
  const tests = names.map((name) => path.join(source, name));
  return runCounted(process.execPath, ['--test', ...REPORTERS, ...options, ...tests], countNodeTest, env);
}

const SUITES = {
  native: { needs: ['native'], run: (options) => runNative('host', options) },
  baseline: { needs: ['native'], run: (options) => runNative('host-baseline', options) },
  sanitizers: { needs: ['native'], run: (options) => runNative('sanitizers', options) },
  wasm: { needs: ['wasm'], run: runWasm },
  relaxed: { needs: ['wasm', 'relaxed-node'], run: runRelaxed },
  node: { needs: ['wasm', 'webgpu'], run: (options) => runPackage('node', options) },
  real: { needs: ['wasm', 'real-models'], run: (options) => runPackage('real', options) },
  browser: { needs: ['wasm', 'browser'], run: (options) => runPackage('browser', options) },
  // One file after the other: the browsers are slow, and two at a time slower.
  'other-browsers': {
    needs: ['wasm', 'other-browsers'], run: (options) => runPackage('other-browsers', ['--test-concurrency=1', ...options]),
  },
  cycles: { needs: ['wasm', 'browser'], run: (options) => runPackage('cycles', options) },
  // One file after the other: each packs the package anew.
  bundlers: { needs: ['wasm', 'browser', 'nodes'], run: (options) => runPackage('bundlers', ['--test-concurrency=1', ...options]) },
};
const DEFAULT = ['native', 'wasm', 'relaxed', 'node', 'browser'];

const named = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const options = process.argv.slice(2).filter((word) => word.startsWith('-') && word !== '--');
const unknown = named.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}. There are: ${Object.keys(SUITES).join(', ')}.`);
  process.exit(1);
}
const suites = named.length > 0 ? named : DEFAULT;

await setUp(...new Set(suites.flatMap((name) => SUITES[name].needs)));
const results = [];
for (const name of suites) {
  console.log(`\n== ${name} ==`);
  results.push({ name, ...await SUITES[name].run(options) });
}

console.log();
for (const result of results)
  console.log(`${result.name.padEnd(15)}${String(result.passed).padStart(6)} ok ${String(result.failed).padStart(6)} not ok`);
const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
const passed = total('passed'), failed = total('failed');
if (passed + failed === 0) console.error('No test was run.');
console.log(`${passed} passed, ${failed} failed`);
process.exit(passed > 0 && failed === 0 ? 0 : 1);
