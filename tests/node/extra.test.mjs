// The second part of the WebAssembly module, which is downloaded when training or a piece is first used.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { temporaryFolder } from './support.mjs';

const DIST = path.dirname(fileURLToPath(import.meta.resolve('webformer')));
const EXTRAS = ['webformer.extra.wasm', 'webformer-relaxed.extra.wasm'];

/** The package in a folder of its own, after `change` of it. */
async function changedPackage(t, change) {
  const folder = temporaryFolder(t);
  cpSync(DIST, folder, { recursive: true });
  for (const name of EXTRAS) change(path.join(folder, name));
  return import(pathToFileURL(path.join(folder, 'index.js')).href);
}

const words = new Map([['vocab.txt', new TextEncoder().encode('[UNK]\n[CLS]\n[SEP]\nthe\nfox\n')]]);

test('without its second part the package tokenizes, and says which file training and pieces miss', async (t) => {
  const { attention, loadTokenizer, trainTokenizer } = await changedPackage(t, rmSync);
  const tokenizer = await loadTokenizer(words);
  assert.deepEqual(tokenizer.encode('The fox').tokens, ['[CLS]', 'the', 'fox', '[SEP]']);
  const row = { data: Float32Array.of(1), shape: [1, 1] };
  for (const use of [() => trainTokenizer('bpe', ['a b'], { vocabSize: 20 }), () => attention(row, row, row)])
    await assert.rejects(use, { code: 'network_error', message: /webformer(-relaxed)?\.extra\.wasm could not be read/ });
});

test('parts of two builds are not put together', async (t) => {
  const { trainTokenizer } = await changedPackage(t, (file) => {
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] ^= 1; // the last byte of the build's name
    writeFileSync(file, bytes);
  });
  const expected = { code: 'unsupported_platform', message: /build [0-9a-f]{32}, and .* [0-9a-f]{32};/ };
  await assert.rejects(trainTokenizer('bpe', ['a b'], { vocabSize: 20 }), expected);
});
