// Parts a linked module in two by binaryen's wasm-split: what every page needs, and what only training, saving and the small pieces need,
// which is downloaded when one of them is first used. Both have one memory, so that nothing is copied or loaded twice.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EMSCRIPTEN } from './setup/paths.mjs';
import { outputOf } from './setup/system.mjs';

/** The sources that go to the second part, with all that nothing else calls; and by their names, functions of other sources. */
const EXTRA_SOURCES = [
  'src/text/training/', 'src/training/', 'src/model/adapter', 'src/model/backward', 'src/model/low_rank_', 'src/model/model_writer',
  'src/formats/safetensors_writer', 'src/formats/word_vectors', 'wasm/adapter_', 'wasm/attention_piece', 'wasm/layer_',
  'wasm/model_saver', 'wasm/position_tables', 'wasm/tokenizer_trainer', 'wasm/trainer_', 'wasm/word_vector_',
];
const EXTRA_FUNCTIONS = /backward/;

/**
 * The linker keeps one of several functions with equal code, by the name of any of them. Such a call is seen in the graph, but not where it
 * goes through a pointer: of the functions that are much alike by their nature, and small, none is moved unless all its callers are.
 */
const LIKE_OTHERS = /^_ZNK?St3__2|__invoke|\.(destroy|cleanup)$/, LEAST_UNLIKE = 256;

const FEATURES = [
  'bulk-memory', 'exception-handling', 'multivalue', 'mutable-globals', 'nontrapping-float-to-int', 'reference-types', 'relaxed-simd',
  'sign-ext', 'simd',
].map((name) => `--enable-${name}`);

/** How the second part names what it takes from the first, and where both have their build: see web/instance.ts, web/build-id.ts. */
const NAMESPACE = 'first', BUILD_SECTION = 'build';

const emConfig = (name) => outputOf(path.join(EMSCRIPTEN, 'em-config'), [name]).trim();

function run(program, args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (error || status !== 0) throw error ?? new Error(`${path.basename(program)} failed: ${stderr}`);
  return stdout;
}

/** What calls what: `edges` by the caller's name, and the `roots`, which are exported or have their address taken. */
function callGraph(wasmOpt, module) {
  const edges = new Map(), roots = new Set(['__wasm_call_ctors']);
  const graph = run(wasmOpt, [module, ...FEATURES, '--print-call-graph']);
  for (const line of graph.split('\n')) {
    const [, caller, callee] = /^ {2}"([^"]+)" -> "([^"]+)"/.exec(line) ?? [];
    const [, root] = /^ {2}"([^"]+)" \[style="filled(?:, rounded"|", fillcolor="gray")/.exec(line) ?? [];
    if (caller) edges.set(caller, [...edges.get(caller) ?? [], callee]);
    if (!edges.has(caller ?? root)) edges.set(caller ?? root, []);
    if (root) roots.add(root);
  }
  return { edges, roots };
}

/** Names of the functions that no other than the extra sources define, those that they define for themselves among them. */
function extraFunctions(nm, folder, variant) {
  const extra = new Set(), shared = new Set(), elsewhere = new Set();
  for (const target of ['webformer_portable', 'webformer_bindings', `webformer_core${variant}`]) {
    const objects = path.join(folder, 'CMakeFiles', `${target}.dir`);
    for (const file of readdirSync(objects, { recursive: true }).filter((name) => name.endsWith('.o'))) {
      const isExtra = EXTRA_SOURCES.some((source) => file.replaceAll('\\', '/').startsWith(source));
      for (const [, size, kind, name] of run(nm, ['-S', '--defined-only', path.join(objects, file)]).matchAll(/ (\w+) ([TtWw]) (\S+)/g)) {
        const isAlike = LIKE_OTHERS.test(name) && parseInt(size, 16) < LEAST_UNLIKE;
        if (!isExtra && !EXTRA_FUNCTIONS.test(name)) elsewhere.add(name);
        else (/[Tt]/.test(kind) && !isAlike ? extra : shared).add(name);
      }
    }
  }
  const alone = (names) => new Set([...names].filter((name) => !elsewhere.has(name)));
  return { moved: alone(extra), callers: alone(shared) };
}

function reachable(edges, roots, without) {
  const reached = new Set(), open = [...roots].filter((name) => !without.has(name));
  while (open.length > 0) {
    const name = open.pop();
    if (reached.has(name)) continue;
    reached.add(name);
    open.push(...(edges.get(name) ?? []).filter((callee) => !without.has(callee)));
  }
  return reached;
}

/** A call from the first part traps while the second is not there: only what runs for the second may have one. */
function checkCalls(edges, first, callers) {
  const early = [...first].filter((caller) => !callers.has(caller)).flatMap((caller) =>
    (edges.get(caller) ?? []).filter((callee) => !first.has(callee) && edges.has(callee)).map((callee) => `\n${caller} calls ${callee}`));
  if (early.length > 0) throw new Error(`wasm/split.mjs puts functions in the part that is loaded later, but:${early.join('')}`);
}

/** A custom section of WebAssembly, appended to a module. */
function withSection(bytes, name, text) {
  const content = Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from(text)]);
  if (content.length > 127) throw new Error(`the section '${name}' is too long for its length to be one byte`);
  return Buffer.concat([bytes, Buffer.from([0, content.length]), content]);
}

/** What names the link of a module: both its parts have it in a section, and web/build-id.ts compares it. */
export function buildOf(folder, name) {
  return createHash('sha256').update(readFileSync(path.join(folder, `${name}.wasm`))).digest('hex').slice(0, 32);
}

/**
 * @param folder where CMake put the module @param {string} name of it, without extension
 * @returns the files of the two parts
 */
export function splitModule(folder, name) {
  const module = path.join(folder, `${name}.wasm`), out = path.join(folder, 'split');
  const [first, second] = [path.join(out, `${name}.wasm`), path.join(out, `${name}.extra.wasm`)];
  const newest = Math.max(statSync(module).mtimeMs, statSync(fileURLToPath(import.meta.url)).mtimeMs);
  if ([first, second].every((file) => existsSync(file) && statSync(file).mtimeMs > newest)) return [first, second];

  mkdirSync(out, { recursive: true });
  const binaryen = path.join(emConfig('BINARYEN_ROOT'), 'bin');
  const { edges, roots } = callGraph(path.join(binaryen, 'wasm-opt'), module);
  const { moved, callers } = extraFunctions(path.join(emConfig('LLVM_ROOT'), 'llvm-nm'), folder, name.replace('webformer', ''));
  const inFirst = reachable(edges, roots, moved);
  checkCalls(edges, inFirst, callers);
  const list = path.join(out, `${name}.extra.txt`);
  writeFileSync(list, [...edges.keys()].filter((function_) => !inFirst.has(function_)).join('\n'));
  run(path.join(binaryen, 'wasm-split'), [
    module, ...FEATURES, '--no-placeholders', `--split-funcs=@${list}`, `--import-namespace=${NAMESPACE}`, '--export-prefix=%',
    '-o1', first, '-o2', second,
  ]);
  const build = buildOf(folder, name);
  for (const file of [first, second]) writeFileSync(file, withSection(readFileSync(file), BUILD_SECTION, build));
  return [first, second];
}
