// Programs of the machine: finding them, running them, installing Debian's packages.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';

/** A step that could not be done, and what the user can do about it. */
export class SetupError extends Error {
  constructor(message, help) {
    super(message);
    this.help = help;
  }
}

/** The full path of a program on PATH, or null. */
export function findProgram(...names) {
  for (const name of names)
    for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
      const file = path.join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch { /* not in this folder */ }
    }
  return null;
}

/**
 * Runs a program to its end. Resolves to what it printed; rejects with the end of it. `onLine` sees each line as it comes. `timeout`: in
 * milliseconds, after which it is ended, whatever programs of its own still hold its output open.
 */
export function run(program, args, { onLine, timeout, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '', partial = '';
    const take = (chunk) => {
      output += chunk;
      const lines = (partial + chunk).split('\n');
      partial = lines.pop();
      if (onLine) lines.forEach(onLine);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    let why = '';
    const timer = timeout && setTimeout(() => {
      why = ` after ${timeout / 1000} s, its time`;
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeout);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new SetupError(`${program} did not start: ${error.message}`));
    });
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      if (status === 0) return resolve(output);
      const command = [path.basename(program), ...args].join(' ').slice(0, 300);
      const end = output.trimEnd().split('\n').slice(-30).join('\n');
      reject(new SetupError(`${command}\nended with ${signal ?? `status ${status}`}${why}:\n${end}`));
    });
  });
}

/** What a program prints, or null where it is missing or fails. */
export function outputOf(program, args) {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout.trim() : null;
}

export const hasApt = () => existsSync('/etc/debian_version') && findProgram('apt-get') !== null && findProgram('dpkg') !== null;

const isRoot = () => process.getuid?.() === 0;

export const canInstallPackages = () => hasApt() && isRoot();

/** Installs packages of the system by apt as root; elsewhere says in one line what to install. */
export async function installPackages(packages, report) {
  const missing = `missing: ${packages.join(', ')}`;
  if (!hasApt()) throw new SetupError(missing);
  if (!isRoot()) throw new SetupError(missing, `Run: sudo apt-get install ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  report('apt-get update');
  await run('apt-get', ['update'], { env });
  report(`apt-get install ${packages.join(' ')}`);
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env });
}
