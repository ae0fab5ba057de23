// The program `webformer` where a text, the disk or the input is at fault.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { PROGRAM, TALES, fails, objects, start, succeeds } from './cli-support.mjs';

const LONG = 'word '.repeat(600);

test('a line that is too long is named, has an empty line, and the others are done', async () => {
  const lines = ['The fox', LONG, 'The dog'], args = ['generate', TALES, '--greedy', '-n', '4'];
  const alone = await Promise.all([lines[0], lines[2]].map((line) => succeeds([...args, line])));
  const { child, ended } = start(...args);
  child.stdin.end(`${lines.join('\n')}\n`);
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stdout], [1, `${alone[0]}\n${alone[1]}`]);
  assert.match(stderr, /^webformer generate: line 2: \d+ tokens, the context has 512 \(context_full\)\n$/);

  const json = start(...args, '--json', lines[1], lines[2]);
  json.child.stdin.end();
  const result = await json.ended;
  const [failed, done] = objects(result.stdout);
  assert.equal(result.code, 1);
  assert.match(result.stderr, /^webformer generate: text 1: /);
  assert.deepEqual([failed.text, failed.error.code, done.input], [LONG, 'context_full', 'The dog']);
});

test('a line that is no ids is named, and the others are decoded', async () => {
  const { child, ended } = start('tokenize', '--decode', TALES);
  child.stdin.end('33\none\n99999999\n33\n');
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 1);
  assert.match(stdout, /^(.+)\n\n\n\1\n$/);
  assert.match(stderr, /tokenize: line 2: --decode: 'one' found, .*\n.*tokenize: line 3: --decode: ids\[0\] is 99999999, /);
});

test('a byte order mark is no part of the first line', async () => {
  const plain = await succeeds(['tokenize', '--ids', TALES], 'a\nb\n');
  assert.equal(await succeeds(['tokenize', '--ids', TALES], '\uFEFFa\nb\n'), plain);
  assert.notEqual(await succeeds(['tokenize', '--ids', TALES], 'a\n\uFEFFb\n'), plain);
});

const noFullDisk = !existsSync('/dev/full') && 'there is no /dev/full';

/** Runs it with files in the place of the standard output and error. */
function redirected(args, stdout, stderr = 'pipe', input = '') {
  const [out, error] = [stdout, stderr].map((name) => (name === 'pipe' ? name : openSync(name, 'w')));
  try {
    return spawnSync(process.execPath, [PROGRAM, ...args], { stdio: ['pipe', out, error], encoding: 'utf8', input });
  } finally {
    for (const file of [out, error]) if (typeof file === 'number') closeSync(file);
  }
}

test('a full disk is told in one line, and ends it with 1', { skip: noFullDisk }, () => {
  for (const args of [['--help'], ['tokenize', '--help'], ['info', TALES], ['tokenize', TALES, 'a'], ['generate', TALES, 'a', '-n', '9']]) {
    const { status, stderr } = redirected(args, '/dev/full');
    assert.equal(status, 1);
    assert.match(stderr, /^webformer( \w+)?: the standard output cannot be written: no space left on device\n$/);
  }
  const { status, stdout } = redirected(['tokenize', '--ids', TALES], 'pipe', '/dev/full', `a\n${LONG}\n`);
  assert.deepEqual([status, stdout.trim().split('\n').length], [0, 2]);
  assert.equal(redirected(['fly'], 'pipe', '/dev/full').status, 2);
});

test('a directory in the place of the texts is refused', { skip: process.platform === 'win32' }, () => {
  const folder = openSync(TALES, 'r');
  const options = { stdio: [folder, 'pipe', 'pipe'], encoding: 'utf8' };
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'tokenize', TALES], options);
  closeSync(folder);
  assert.equal(status, 2);
  assert.match(stderr, /^webformer tokenize: the standard input is a directory\n/);
});

test('what the system says of a file comes without its numbers and calls', async () => {
  const train = ['train', TALES, '--task', 'text-generation', '--out', '/dev/null/x'];
  await fails([...train, '--data', 'no/such.txt'], 1, /^webformer train: no\/such\.txt: no such file or directory\n$/);
});
