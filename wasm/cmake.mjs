// Configures and builds a preset of CMakePresets.json.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { BUILD, ROOT } from './setup/paths.mjs';
import { findProgram } from './setup/system.mjs';

/** Runs cmake from the repository's folder. Its output is shown as it comes, or, when `quiet`, only if it fails. */
function cmake(args, { quiet = false, env = process.env } = {}) {
  const stdio = quiet ? 'pipe' : 'inherit';
  const { status, error, stdout, stderr } = spawnSync('cmake', args, { cwd: ROOT, env, encoding: 'utf8', stdio });
  if (error) throw error;
  if (quiet && status !== 0) console.error(stdout + stderr);
  return status === 0;
}

/** Builds `targets` of a preset and gives its folder, or null when something does not compile. */
export function buildPreset(preset, targets) {
  const folder = path.join(BUILD, preset);
  const env = { ...process.env };
  if (!env.CMAKE_GENERATOR && findProgram('ninja') && !existsSync(path.join(folder, 'CMakeCache.txt'))) env.CMAKE_GENERATOR = 'Ninja';
  if (!cmake(['--preset', preset], { quiet: true, env })) return null;
  return cmake(['--build', folder, '--parallel', String(availableParallelism()), '--target', ...targets]) ? folder : null;
}
