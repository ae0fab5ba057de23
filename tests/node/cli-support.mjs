// How the tests run the built program.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
export const PROGRAM = `${ROOT}${manifest.bin.webformer}`;
export const EN_FR = `${ROOT}demo/models/en-fr`;
export const TALES = `${ROOT}demo/models/tales`;

export function start(...args) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'pipe' });
  child.stdin.on('error', () => undefined); // it may end before it has read all
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
  return { child, ended };
}

/** Runs it to its end with `input` as its standard input. */
function run(args, input = '') {
  const { child, ended } = start(...args);
  child.stdin.end(input);
  return ended;
}

export async function succeeds(args, input) {
  const { code, stdout, stderr } = await run(args, input);
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '', 'nothing but answers where nobody watches');
  return stdout;
}

export async function fails(args, code, pattern, input) {
  const result = await run(args, input);
  assert.equal(result.code, code, result.stderr);
  assert.match(result.stderr, pattern);
  assert.equal(result.stdout, '');
  return result.stderr;
}

/** Of JSON, an object a line. */
export const objects = (text) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** `webformer serve` of a source for one test: the address, the process, and its end. */
export async function served(t, source) {
  const { child, ended } = start('serve', source, '--port', '0', '--json');
  t.after(() => child.kill());
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(({ stderr }) => assert.fail(stderr))]);
  return { url: new URL(JSON.parse(line).url), child, ended };
}
