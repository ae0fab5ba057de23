// The parts that the package is made of: the second part of the module, which is downloaded when training or a piece is first used; and
// builds, of which no two are mixed.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { loadModel, loadTokenizer } from 'webformer';
import { bert } from '../fixtures/make_models.mjs';
import { rejects, temporaryFolder } from './support.mjs';

const DIST = path.dirname(fileURLToPath(import.meta.resolve('webformer')));

/** The package in a folder of its own, after `change` of each of its files that `pattern` matches. */
async function changedPackage(t, pattern, change) {
  const folder = temporaryFolder(t);
  cpSync(DIST, folder, { recursive: true });
  for (const name of readdirSync(folder)) if (pattern.test(name)) change(path.join(folder, name));
  const url = pathToFileURL(path.join(folder, 'index.js'));
  return { folder: new URL('.', url), ...await import(url.href) };
}

/** As of another build: the id is the file's end. */
function rename(file) {
  const bytes = readFileSync(file);
  bytes[bytes.length - 1] = bytes.at(-1) === 48 ? 49 : 48; // the last digit of the build's name, to another
  writeFileSync(file, bytes);
}

const words = new Map([['vocab.txt', new TextEncoder().encode('[UNK]\n[CLS]\n[SEP]\nthe\nfox\n')]]);

test('without its second part the package tokenizes, and says which file training and pieces miss', async (t) => {
  const { attention, loadTokenizer, trainTokenizer } = await changedPackage(t, /\.extra\.wasm$/, rmSync);
  const tokenizer = await loadTokenizer(words);
  assert.deepEqual(tokenizer.encode('The fox').tokens, ['[CLS]', 'the', 'fox', '[SEP]']);
  const row = { data: Float32Array.of(1), shape: [1, 1] };
  for (const use of [() => trainTokenizer('bpe', ['a b'], { vocabSize: 20 }), () => attention(row, row, row)])
    await assert.rejects(use, { code: 'network_error', message: /webformer(-relaxed)?\.extra\.wasm could not be read/ });
});

/** web/extra.ts with fakes in the place of what it imports. */
async function loadExtra() {
  const contents = `export let compiled = 0;
    export const compileExtraPart = async () => { compiled++; await new Promise(setImmediate); return 'extra'; };
    export const compileRuntime = async () => ({});
    export class Instance {}`;
  const fakes = { name: 'fakes', setup: (on) => on.onLoad({ filter: /web.(parts|runtime|instance)\.ts$/ }, () => ({ contents })) };
  const entry = fileURLToPath(new URL('../../web/extra.ts', import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, plugins: [fakes] });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

test('an instance gets the second part once, however many ask for it at a time, and is asked again where that failed', async () => {
  const { extend } = await loadExtra();
  const fake = (outcomes) => {
    const instance = { module: { build: () => 'simd' }, given: 0 };
    instance.extend = async () => {
      instance.given++;
      await new Promise(setImmediate);
      if (outcomes.shift() === 'fails') throw new Error('no');
    };
    return instance;
  };
  const instance = fake([]), other = fake(['fails']);
  await Promise.all([extend(instance), extend(instance), extend(instance)]);
  await extend(instance);
  assert.equal(instance.given, 1);
  const both = await Promise.allSettled([extend(other), extend(other)]);
  assert.deepEqual(both.map(({ status }) => status), ['rejected', 'rejected']);
  assert.equal(other.given, 1);
  await extend(other);
  assert.equal(other.given, 2);
});

test('parts of two builds are not put together', async (t) => {
  const { trainTokenizer } = await changedPackage(t, /\.extra\.wasm$/, rename);
  const expected = { code: 'unsupported_platform', message: /build [0-9a-f]{32}, and .* [0-9a-f]{32};/ };
  await assert.rejects(trainTokenizer('bpe', ['a b'], { vocabSize: 20 }), expected);
});

test('WebAssembly of another build is refused, wherever it is from', async (t) => {
  const { folder, ...other } = await changedPackage(t, /^webformer(-relaxed)?\.wasm$/, rename);
  const message = /^The WebAssembly file is of build [0-9a-f]{8}, and this JavaScript needs [0-9a-f]{8} or [0-9a-f]{8}: /;
  await assert.rejects(other.loadTokenizer(words), { code: 'unsupported_platform', message });
  const wasmUrl = new URL('webformer.wasm', folder);
  await rejects(loadTokenizer(words, { wasmUrl }), 'unsupported_platform', message);
  await rejects(loadTokenizer(words, { wasmUrl: { baseline: wasmUrl, relaxed: wasmUrl } }), 'unsupported_platform', message);
  const { details } = await rejects(loadTokenizer(words, { wasmBinary: readFileSync(wasmUrl) }), 'unsupported_platform', message);
  const own = readFileSync(path.join(DIST, 'webformer.wasm'));
  assert.ok(details.expected.includes(own.subarray(-32).toString()) && !details.expected.includes(details.found));
  // Without the section, as a linker leaves it.
  await rejects(loadTokenizer(words, { wasmBinary: own.subarray(0, own.length - 40) }), 'unsupported_platform', /is of build unknown/);
});

test("a worker's script of another build is refused", async (t) => {
  const { folder } = await changedPackage(t, /\.js$/, (file) => {
    const script = readFileSync(file, 'utf8');
    writeFileSync(file, script.replace(/(javascript:")([0-9a-f]{4})/, '$1ffff'));
  });
  const own = await loadModel(bert(), { worker: true });
  own.dispose();
  const workerUrl = new URL('worker.js', folder);
  const message = /^The worker's script is of build ffff[0-9a-f]{4}, and this JavaScript needs [0-9a-f]{8}: /;
  await rejects(loadModel(bert(), { worker: true, workerUrl }), 'unsupported_platform', message);
});
