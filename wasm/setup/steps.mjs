// Runs the steps of the set-up: each says what it does and how far it is, and is skipped once it is done.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { TOOLCHAIN } from './paths.mjs';
import { SetupError } from './system.mjs';

/**
 * @typedef {object} Step
 * @property {string} title what is brought, as the user reads it
 * @property {() => boolean} ready is it there already?
 * @property {(report: (what: string, done?: number, total?: number) => void) => Promise<void>} run brings it
 * @property {string} help what to do when it fails
 */

const stampFile = (name) => path.join(TOOLCHAIN, 'stamps', name);

/** Was the step `name` done for these inputs? */
export function isStamped(name, inputs = '') {
  try {
    return readFileSync(stampFile(name), 'utf8') === inputs;
  } catch {
    return false;
  }
}

export function stamp(name, inputs = '') {
  mkdirSync(path.dirname(stampFile(name)), { recursive: true });
  writeFileSync(stampFile(name), inputs);
}

/** Prints progress inside a step: on a terminal in place, in a log at most one line in five seconds. */
function progressPrinter() {
  let last = 0, previous = '';
  return (what, done, total) => {
    const counted = total !== undefined;
    const inPlace = process.stdout.isTTY && counted;
    const now = Date.now();
    if (counted && !inPlace && done < total && what === previous && now - last < 5000) return;
    last = now;
    previous = what;
    const line = `      ${what}${counted ? ` ${done}/${total}` : ''}`;
    process.stdout.write(inPlace ? `\r${line}${done === total ? '\n' : ''}` : line + '\n');
  };
}

/** Two set-ups in one folder would spoil each other's files: the second waits. */
async function lock() {
  const folder = path.join(TOOLCHAIN, 'lock'), owner = path.join(folder, 'pid');
  mkdirSync(TOOLCHAIN, { recursive: true });
  for (let announced = false; ; await sleep(500)) {
    try {
      mkdirSync(folder);
      writeFileSync(owner, String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isRunning(owner)) rmSync(folder, { recursive: true, force: true });
    else if (!announced) {
      console.log('set-up: waiting for another set-up of this folder to end');
      announced = true;
    }
  }
}

/** Does the process live whose id the file holds? A lock just made has no id yet and counts as living. */
function isRunning(file) {
  try {
    process.kill(Number(readFileSync(file, 'utf8')) || process.pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM' || error.code === 'ENOENT';
  }
}

/** @param {Step[]} steps in order; a step may rely on those before it */
export async function runSteps(steps) {
  if (steps.every((step) => step.ready())) return;
  const unlock = await lock();
  try {
    for (const [index, step] of steps.entries()) {
      const label = `set-up ${index + 1}/${steps.length}: ${step.title}`;
      if (step.ready()) {
        console.log(`${label}: there`);
        continue;
      }
      console.log(label);
      const start = Date.now();
      try {
        await step.run(progressPrinter());
        if (!step.ready()) throw new SetupError('It ran to its end, and yet what it brings is missing.');
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        throw new SetupError(`${label} failed.\n${error.message}`, error.help ?? step.help);
      }
      console.log(`      done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
    }
  } finally {
    unlock();
  }
}
