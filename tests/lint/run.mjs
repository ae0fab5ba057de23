// `npm run lint`: the rules that a compiler does not know, and TypeScript's own.
// Prints each fault with its place; ends with 'N passed, N failed' over the rules.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { setUp } from '../../wasm/setup.mjs';
import { ROOT } from '../../wasm/setup/paths.mjs';
import { repositoryFiles } from './files.mjs';
import { checkHygiene } from './hygiene.mjs';
import { checkPackage } from './package.mjs';
import { checkPlaces } from './places.mjs';
import { checkRooms } from './rooms.mjs';
import { checkStyle, longFiles } from './style.mjs';

/** tsc --noEmit over web/, demo/ and tests/. */
function checkTypes() {
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '--noEmit', '-p', '.'], { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? [] : stdout.trim().split('\n').map((message) => ({ name: 'tsc', message }));
}

const RULES = {
  rooms: checkRooms, places: checkPlaces, hygiene: checkHygiene, style: checkStyle, types: checkTypes, package: checkPackage,
};

await setUp('packages');
const files = repositoryFiles();
let failed = 0;
for (const [name, check] of Object.entries(RULES)) {
  const faults = await check(files);
  if (faults.length > 0) failed++;
  console.log(`${faults.length === 0 ? 'ok    ' : 'not ok'} ${name}`);
  for (const fault of faults) console.log(`  ${fault.name}${fault.line ? `:${fault.line}` : ''}: ${fault.message}`);
}
for (const line of longFiles(files)) console.log(`long   ${line}`);
console.log(`${Object.keys(RULES).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
