// Unpacks packages of a newer Debian suite beside the system, without installing them: by a private apt state
// whose mirror is the machine's own.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TOOLCHAIN } from './paths.mjs';
import { SetupError, hasApt, outputOf, run } from './system.mjs';

const SUITE = 'forky';
const STATE = path.join(TOOLCHAIN, 'apt');

/** Downloaded packages are kept where this variable says, and deleted after unpacking where it says nothing. */
const CACHE = process.env.WEBFORMER_APT_CACHE;
const ARCHIVES = CACHE ? path.resolve(CACHE) : path.join(STATE, 'archives');

/** The mirror of Debian's main archive that this machine uses, or null (another distribution, no sources). */
function mirror() {
  if (!hasApt()) return null;
  const targets = outputOf('apt-get', ['indextargets', '--format', '$(REPO_URI) $(COMPONENT)', 'Created-By: Packages']) ?? '';
  return /^(\S+\/debian\/?) main$/m.exec(targets)?.[1] ?? null;
}

export const hasDebianMirror = () => mirror() !== null;

const aptGet = (args, options) => run('apt-get', [
  '-o', `Dir::State=${STATE}`, '-o', `Dir::State::lists=${STATE}/lists`, '-o', `Dir::State::status=${STATE}/status`,
  '-o', `Dir::Cache=${STATE}/cache`, '-o', `Dir::Cache::archives=${ARCHIVES}`,
  '-o', `Dir::Etc::sourcelist=${STATE}/sources.list`, '-o', 'Dir::Etc::sourceparts=/dev/null', '-o', 'Dir::Etc::preferencesparts=/dev/null',
  '-o', 'APT::Install-Recommends=false', '-o', 'APT::Sandbox::User=root', ...args], options);

async function updateLists(report) {
  const uri = mirror();
  if (uri === null) throw new SetupError('this machine has no apt sources of Debian');
  for (const folder of ['lists/partial', 'cache']) mkdirSync(path.join(STATE, folder), { recursive: true });
  mkdirSync(path.join(ARCHIVES, 'partial'), { recursive: true });
  writeFileSync(path.join(STATE, 'sources.list'), `deb ${uri} ${SUITE} main\n`);
  writeFileSync(path.join(STATE, 'status'), '');
  report(`package lists of Debian ${SUITE}`);
  await aptGet(['update']);
}

/** The archive files of `packages` and of all that they depend on. */
async function filesOf(install) {
  const nothing = path.join(STATE, 'none');
  mkdirSync(path.join(nothing, 'partial'), { recursive: true });
  const uris = await aptGet(['-o', `Dir::Cache::archives=${nothing}`, '--print-uris', ...install]);
  return [...uris.matchAll(/^'[^']+' (\S+\.deb) /gm)].map(([, file]) => path.join(ARCHIVES, file));
}

/** Downloads `packages` with all that they depend on and unpacks them into `root`. */
export async function unpackPackages(packages, root, report) {
  await updateLists(report);
  const install = ['install', '--yes', '--download-only', ...packages];
  const files = await filesOf(install);
  let downloaded = files.filter((file) => existsSync(file)).length;
  await aptGet(install, { onLine: (line) => line.startsWith('Get:') && report('packages downloaded', ++downloaded, files.length) });

  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  for (const [index, file] of files.entries()) {
    await run('dpkg', ['-x', file, root]);
    report('packages unpacked', index + 1, files.length);
  }
  if (!CACHE) rmSync(ARCHIVES, { recursive: true, force: true });
}
