// The package as npm would publish it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { BUILD, ROOT } from './setup/paths.mjs';
import { findProgram, run } from './setup/system.mjs';

/** Packs what dist/ holds, and gives the tarball's path. */
export async function pack() {
  const folder = path.join(BUILD, 'pack');
  mkdirSync(folder, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const output = await run(findProgram('npm') ?? 'npm', args, { cwd: ROOT });
  const [{ filename }] = Object.values(JSON.parse(output));
  return path.join(folder, filename);
}
