// The compiler and build tools of the machine itself: the core is built and tested natively as well.
import { findProgram, installPackages, outputOf } from './system.mjs';

const CMAKE_AT_LEAST = [3, 24];

/** $CXX, else the system's own. */
const hasCompiler = () => Boolean(process.env.CXX) || findProgram('g++', 'clang++', 'c++') !== null;

function hasCmake() {
  const version = /version (\d+)\.(\d+)/.exec((findProgram('cmake') && outputOf('cmake', ['--version'])) ?? '');
  if (!version) return false;
  const [major, minor] = version.slice(1).map(Number);
  return major > CMAKE_AT_LEAST[0] || (major === CMAKE_AT_LEAST[0] && minor >= CMAKE_AT_LEAST[1]);
}

const hasBuilder = () => findProgram('ninja', 'make') !== null;

/** @type {import('./steps.mjs').Step} */
export const nativeStep = {
  title: 'C++ compiler, CMake, Ninja',
  ready: () => hasCompiler() && hasCmake() && hasBuilder(),
  help: `Install a C++20 compiler, CMake ${CMAKE_AT_LEAST.join('.')} or newer, and Ninja or make ` +
    '(macOS: xcode-select --install; brew install cmake ninja).',
  async run(report) {
    const packages = [[hasCompiler, 'g++'], [hasCmake, 'cmake'], [hasBuilder, 'ninja-build']];
    await installPackages(packages.filter(([isThere]) => !isThere()).map(([, name]) => name), report);
  },
};
