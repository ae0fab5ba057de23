// Emscripten: the machine's own where it is new enough, else a newer Debian suite's packages, unpacked beside the system.
import {
  closeSync, existsSync, lstatSync, openSync, readFileSync, readSync, readdirSync, realpathSync, symlinkSync, unlinkSync, writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { hasDebianMirror, unpackPackages } from './debian.mjs';
import { BUILD, EMSCRIPTEN, TOOLCHAIN } from './paths.mjs';
import { isStamped, stamp } from './steps.mjs';
import { SetupError, findProgram, outputOf, run } from './system.mjs';

const AT_LEAST = 6;
const PACKAGES_ROOT = path.join(TOOLCHAIN, 'emscripten-root');

/** The folder of an installed Emscripten: $EMSDK's, else that of the em++ on PATH; null where there is none. */
function installedFolder() {
  const sdk = process.env.EMSDK && path.join(process.env.EMSDK, 'upstream/emscripten');
  if (sdk && existsSync(path.join(sdk, 'em++'))) return sdk;
  const config = findProgram('em++') && findProgram('em-config');
  return config ? outputOf(config, ['EMSCRIPTEN_ROOT']) : null;
}

/** The major version of the Emscripten in a folder, 0 where there is none. */
function majorVersion(folder) {
  const file = folder && path.join(folder, 'emscripten-version.txt');
  return file && existsSync(file) ? Number(/\d+/.exec(readFileSync(file, 'utf8'))?.[0] ?? 0) : 0;
}

/** Replaces the link to the Emscripten in use. */
function linkTo(folder) {
  if (lstatSync(EMSCRIPTEN, { throwIfNoEntry: false })) unlinkSync(EMSCRIPTEN);
  symlinkSync(folder, EMSCRIPTEN, 'dir');
}

const isElf = (file) => {
  const magic = Buffer.alloc(4), handle = openSync(file, 'r');
  readSync(handle, magic, 0, 4, 0);
  closeSync(handle);
  return magic.equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
};

/** The ELF files of a folder whose names match; links to them are left out. */
function elfFiles(folder, pattern, options) {
  const entries = readdirSync(folder, { withFileTypes: true, ...options }).filter((entry) => entry.isFile() && pattern.test(entry.name));
  return entries.map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).filter(isElf);
}

/** Where the unpacked packages keep what a program needs to start. */
function layout() {
  const folders = readdirSync(path.join(PACKAGES_ROOT, 'usr/lib')).map((name) => path.join(PACKAGES_ROOT, 'usr/lib', name));
  const libraries = folders.find((folder) => folder.endsWith('-linux-gnu'));
  const llvm = folders.find((folder) => existsSync(path.join(folder, 'bin/wasm-ld')));
  const loader = libraries && readdirSync(libraries).find((name) => /^ld-linux.*\.so\.\d$/.test(name));
  if (!loader || !llvm) throw new SetupError(`no loader or no LLVM in ${PACKAGES_ROOT}`);
  return { libraries, loader: path.join(libraries, loader), llvm };
}

/** Lets the unpacked programs find their own loader and libraries instead of the system's, which are older. */
async function relocate(report) {
  const { libraries, loader, llvm } = layout();
  const rpath = [path.join(llvm, 'lib'), libraries, path.join(libraries, 'binaryen')].join(':');
  const patchelf = (...args) => run(loader, ['--library-path', libraries, path.join(PACKAGES_ROOT, 'usr/bin/patchelf'), ...args]);

  const programs = [...elfFiles(path.join(llvm, 'bin'), /./), ...elfFiles(path.join(PACKAGES_ROOT, 'usr/bin'), /^wasm/)];
  for (const [index, file] of programs.entries()) {
    await patchelf('--set-interpreter', loader, '--force-rpath', '--set-rpath', rpath, file);
    report('programs relocated', index + 1, programs.length);
  }
  for (const file of elfFiles(path.join(PACKAGES_ROOT, 'usr/lib'), /\.so(\.|$)/, { recursive: true })) {
    const own = (await patchelf('--print-rpath', file)).trim();
    if (own) await patchelf('--force-rpath', '--set-rpath', `${own}:${rpath}`, file);
  }
  return llvm;
}

/** Emscripten reads the config file beside it when nothing else is named, so the commands need no variable. */
function configure(folder, llvm) {
  const config = {
    LLVM_ROOT: path.join(llvm, 'bin'),
    BINARYEN_ROOT: path.join(PACKAGES_ROOT, 'usr'),
    NODE_JS: 'node',
    CACHE: path.join(TOOLCHAIN, 'emscripten-cache'),
  };
  const lines = Object.entries(config).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  writeFileSync(path.join(folder, '.emscripten'), lines.join(''));
}

/** @type {import('./steps.mjs').Step} */
export const emscriptenStep = {
  title: `Emscripten ${AT_LEAST}`,
  ready: () => isStamped('emscripten', PACKAGES_ROOT) && majorVersion(EMSCRIPTEN) >= AT_LEAST,
  help: `Install Emscripten ${AT_LEAST} or newer by emsdk and set EMSDK, or put its em++ on PATH (on Debian: check that this machine ` +
    'reaches its mirror). Then run the command again.',
  async run(report) {
    // Emscripten's own scripts and the programs it makes for node are CommonJS; the package around them says "module".
    writeFileSync(path.join(BUILD, 'package.json'), '{ "type": "commonjs" }\n');
    const installed = installedFolder();
    if (majorVersion(installed) >= AT_LEAST) linkTo(installed);
    else {
      if (!hasDebianMirror()) throw new SetupError(`no Emscripten ${AT_LEAST} or newer: neither $EMSDK nor an em++ on PATH`);
      if (!findProgram('python3')) throw new SetupError('python3 is not on PATH', 'Install python3: Emscripten is written in it.');
      await unpackPackages(['emscripten', 'patchelf'], PACKAGES_ROOT, report);
      const folder = path.join(PACKAGES_ROOT, 'usr/share/emscripten');
      configure(folder, await relocate(report));
      linkTo(folder);
    }
    stamp('emscripten', PACKAGES_ROOT);
  },
};

/** Which Emscripten the system libraries were built by. */
const inUse = () => `${realpathSync(EMSCRIPTEN)} ${readFileSync(path.join(EMSCRIPTEN, 'emscripten-version.txt'), 'utf8').trim()}`;

const FIRST_LINK = `#include <emscripten/bind.h>
EMSCRIPTEN_BINDINGS(first_link) { emscripten::function("zero", +[] { return 0; }); }
`;

/** @type {import('./steps.mjs').Step} */
export const systemLibrariesStep = {
  title: "Emscripten's system libraries (about 75 s)",
  ready: () => existsSync(EMSCRIPTEN) && isStamped('system-libraries', inUse()),
  help: 'Run the command again; if it fails in the same way, delete build/toolchain.',
  async run(report) {
    const source = path.join(TOOLCHAIN, 'first-link.cpp');
    writeFileSync(source, FIRST_LINK);
    const flags = ['-O3', '-std=c++20', '-lembind', '-fwasm-exceptions', '-sALLOW_MEMORY_GROWTH'];
    const onLine = (line) => {
      const library = /generating system library: \S*\/(\S+\.a)\b/.exec(line);
      if (library) report(`building ${library[1]}`);
    };
    await run(path.join(EMSCRIPTEN, 'em++'), [source, ...flags, '-o', path.join(TOOLCHAIN, 'first-link.mjs')], { onLine });
    stamp('system-libraries', inUse());
  },
};
