// An import does nothing but define: on a server that renders pages there is no browser, and elsewhere no node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const ENTRY_POINTS = ['index', 'layers', 'pipeline', 'single-file'];
const urlOf = (name) => new URL(`${name}.js`, import.meta.resolve('webformer')).href;

/** Imports an entry point, dynamic imports included, where there are JavaScript's own globals only; prints what the import adds to them. */
const BARE = `
  import { readFileSync } from 'node:fs';
  import vm from 'node:vm';
  const context = vm.createContext({}), modules = new Map();
  const globals = () => vm.runInContext('Object.getOwnPropertyNames(globalThis).sort().join()', context);
  function load(url) {
    if (modules.has(url)) return modules.get(url);
    const options = { context, identifier: url, initializeImportMeta: (meta) => void (meta.url = url) };
    const module = new vm.SourceTextModule(readFileSync(new URL(url), 'utf8'), options);
    modules.set(url, module);
    return module;
  }
  const link = (name, { identifier }) => load(new URL(name, identifier).href);
  const before = globals();
  for (const url of JSON.parse(process.argv[1])) {
    const module = load(url);
    await module.link(link);
    await module.evaluate();
    console.log(Object.keys(module.namespace).length > 0, globals() === before);
  }`;

test('an import needs no globals but those of the language, and adds none', () => {
  const options = ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', BARE];
  const args = [...options, JSON.stringify(ENTRY_POINTS.map(urlOf))];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(stdout, 'true true\n'.repeat(ENTRY_POINTS.length));
  assert.equal(status, 0);
});

test('an import in a worker leaves nothing that keeps it alive, and no message', async () => {
  for (const name of ENTRY_POINTS) {
    const worker = new Worker(`import(${JSON.stringify(urlOf(name))})`, { eval: true });
    worker.on('message', (message) => assert.fail(`a message: ${JSON.stringify(message)}`));
    assert.equal(await new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject)), 0);
  }
});
