// What is in the package, as a bundler, a Content Security Policy and npm see it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const DIST = path.dirname(fileURLToPath(import.meta.resolve('webformer')));
const MANIFEST = JSON.parse(readFileSync(path.join(DIST, '../package.json'), 'utf8'));

/** The hub that `hf:` names, and how a pointer of Git LFS begins. */
const HOSTS = ['https://huggingface.co', 'https://git-lfs'];

/** The scripts of pages. What the program runs in node is none of them, nor is what has all of the package inside. */
const scripts = readdirSync(DIST).filter((name) => /\.m?js$/.test(name) && !name.startsWith('single-file'))
  .map((name) => ({ name, text: readFileSync(path.join(DIST, name), 'utf8') }));

test('scripts name other files of the package literally, where they lie', () => {
  const named = scripts.flatMap(({ name, text }) => {
    const literal = [...text.matchAll(/new URL\("\.\/([\w.-]+)",import\.meta\.url\)/g)].map(([, file]) => file);
    assert.equal(text.match(/import\.meta/g)?.length ?? 0, literal.length, `import.meta in ${name}`);
    return literal;
  });
  for (const file of named) assert.ok(existsSync(path.join(DIST, file)), file);
  const files = ['webformer-relaxed.extra.wasm', 'webformer-relaxed.wasm', 'webformer.extra.wasm', 'webformer.wasm', 'worker.js'];
  assert.deepEqual([...new Set(named)].sort(), files);
});

test('no script makes code of a text, or an address of bytes, or knows a host but the hub', () => {
  for (const { name, text } of scripts) {
    assert.ok(!/\beval\(|\bFunction\(|\bimportScripts\b|createObjectURL/.test(text), name);
    assert.deepEqual([...text.matchAll(/https?:\/\/[\w.-]+/g)].map(String).filter((host) => !HOSTS.includes(host)), [], name);
  }
});

test('the worker imports statically only, and starts no worker; no script computes a name that bundlers would look for', () => {
  const textOf = (name) => scripts.find((script) => script.name === name).text;
  const imported = (text) => [...text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(([, name]) => name);
  const reached = new Set(['worker.js']);
  for (const name of reached) imported(textOf(name)).forEach((other) => reached.add(other));
  for (const name of reached) assert.ok(!/\bimport\(["'`]|\bnew Worker\(/.test(textOf(name)), name);
  for (const { name, text } of scripts) assert.ok(!/\bimport\((?!["'`]|\/\* webpackIgnore: true \*\/)/.test(text), name);
});

test('the manifest: types come first, nothing runs at install, nothing is installed beside it', () => {
  for (const [name, target] of Object.entries(MANIFEST.exports)) {
    if (typeof target === 'object') assert.equal(Object.keys(target)[0], 'types', name);
    const files = (typeof target === 'object' ? Object.values(target) : [target]).filter((file) => !file.includes('*'));
    for (const file of files) assert.ok(existsSync(path.join(DIST, '..', file)), file);
  }
  assert.equal(MANIFEST.sideEffects, false);
  assert.deepEqual(Object.keys(MANIFEST).filter((key) => /[dD]ependencies$/.test(key)), ['devDependencies']);
  assert.deepEqual(Object.keys(MANIFEST.scripts).filter((name) => /install|prepare|pack|publish/.test(name)), []);
});
