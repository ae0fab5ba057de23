// The packed package as publint and Are the types wrong? see it: entry points, types, formats. Any finding is a fault.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from '../../wasm/build.mjs';
import { pack } from '../../wasm/pack.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';

async function publintFaults(tarball) {
  const { publint } = await import('publint');
  const { formatMessage } = await import('publint/utils');
  const bytes = readFileSync(tarball);
  const pack = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) };
  const { messages, pkg } = await publint({ pack, strict: true });
  return messages.map((message) => ({ name: 'publint', message: formatMessage(message, pkg, { color: false }) }));
}

function typesFaults(tarball) {
  const program = path.join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const options = [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-color', '--no-emoji'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options], { encoding: 'utf8' });
  return status === 0 ? [] : [{ name: 'attw', message: (stdout + stderr).trim() }];
}

export async function checkPackage() {
  if (!existsSync(path.join(ROOT, 'dist/index.js')) && !await build()) return [{ name: 'dist/', message: 'cannot be built' }];
  const tarball = await pack();
  return [...await publintFaults(tarball), ...typesFaults(tarball)];
}
