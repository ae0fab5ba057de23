// Runs a test program and reads from its last lines how many tests passed and failed.
import { spawn } from 'node:child_process';
import { ROOT } from '../wasm/setup/paths.mjs';

/** doctest: "[doctest] test cases: 12 | 11 passed | 1 failed | 0 skipped" */
export function countDoctest(output) {
  const match = /test cases:\s*\d+ \|\s*(\d+) passed \|\s*(\d+) failed/.exec(output);
  return match && { passed: Number(match[1]), failed: Number(match[2]) };
}

/** node's runner: "ℹ pass 11", "ℹ fail 1" */
export function countNodeTest(output) {
  const number = (word) => /\d+/.exec(output.match(new RegExp(`^\\S+ ${word} \\d+$`, 'gm'))?.at(-1) ?? '')?.[0];
  const passed = number('pass'), failed = number('fail'), cancelled = number('cancelled');
  return passed === undefined || failed === undefined ? null : { passed: Number(passed), failed: Number(failed) + Number(cancelled ?? 0) };
}

/** The conformance scripts and this repository's own: "11 passed, 1 failed, 0 skipped" */
export function countPlain(output) {
  const match = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  return match && { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3] ?? 0) };
}

/**
 * Runs a program from the repository's folder, shows what it prints, and reads its counts by `count`.
 * A failed end that the counts do not explain is a failure more.
 */
export function runCounted(program, args, count, env = process.env) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    child.on('error', (error) => {
      console.error(`${program} did not start: ${error.message}`);
      resolve({ passed: 0, failed: 1 });
    });
    child.on('close', (status, signal) => {
      const counts = count(output.replace(/\x1b\[[0-9;]*m/g, ''));
      if (status !== 0 && !(counts?.failed > 0)) {
        console.error(`${program} ended with ${signal ?? `status ${status}`}`);
        return resolve({ ...counts, passed: counts?.passed ?? 0, failed: 1 });
      }
      resolve(counts ?? { passed: 0, failed: 1 });
    });
  });
}
