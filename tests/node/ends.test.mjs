// tests/ends.mjs: a file of tests that ends for another reason than a test says why.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support.mjs';

const REPORTER = new URL('../ends.mjs', import.meta.url).href;

test('the end of a file of tests is explained where no test explains it', { skip: process.platform === 'win32' }, (t) => {
  const folder = temporaryFolder(t), file = path.join(folder, 'some.test.mjs');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env; // as this runner tells its own files
  for (const [code, status, said] of [
    ["process.kill(process.pid, 'SIGKILL')", 1, /^some\.test\.mjs was ended by SIGKILL, .* memory\n$/],
    ['process.exit(3)', 1, /^some\.test\.mjs ended with status 3, and no test of it failed\n$/],
    ['process.exit(0)', 1, /^some\.test\.mjs ended before it had run a test\n$/],
    ["throw new Error('x')", 1, /^$/],
    ['', 0, /^$/],
  ]) {
    writeFileSync(file, `import { test } from 'node:test'; test('a', async () => { ${code}; });`);
    const result = spawnSync(process.execPath, ['--test', `--test-reporter=${REPORTER}`, file], { cwd: folder, env, encoding: 'utf8' });
    assert.match(result.stdout, said);
    assert.equal(result.status, status, code);
  }
});
