// Runs the examples of README.md: a `js` block, or a `$` line of a `console` block, prints what stands below it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createModel } from 'webformer';

const ROOT = path.join(import.meta.dirname, '../..');
const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

function run(program, args, input) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', input });
  assert.equal(status, 0, stderr);
  return stdout;
}

const scripts = [...readme.matchAll(/```js\n([^]*?)```\n\n```text\n([^]*?)```/g)];
const commands = [...readme.matchAll(/```console\n([^]*?)```/g)].flatMap(([, block]) => [...block.matchAll(/^\$ (.*)\n((?!\$ ).*\n)*/gm)]);

test('README.md has examples, and each script is followed by what it prints', () => {
  assert.ok(scripts.length >= 5 && commands.length >= 3);
  assert.equal(scripts.length, readme.match(/```js\n/g).length);
});

test('README.md counts the architectures as the refusal of an unknown one lists them', async () => {
  const error = await createModel({ model_type: 'none' }).catch((thrown) => thrown);
  assert.equal(error.code, 'unsupported_model');
  assert.equal(Number(/\*\*(\d+) architectures\*\*/.exec(readme)[1]), error.details.supported.split(', ').length);
});

for (const [, script, output] of scripts)
  test(`README.md: ${script.split('\n').find((line) => /await/.test(line))}`, () =>
    assert.equal(run(process.execPath, ['--input-type=module', '--eval', script]), output));

for (const [whole, command] of commands)
  test(`README.md: $ ${command}`, () => {
    const program = `node ${JSON.stringify(path.join(ROOT, 'dist/cli/main.js'))}`;
    assert.equal(run('sh', ['-c', command.replace('npx webformer', program)]), whole.slice(whole.indexOf('\n') + 1));
  });
