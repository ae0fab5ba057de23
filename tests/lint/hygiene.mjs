// What no committed file may hold: paths of one machine, hosts of package registries; and what stands at the top of the repository.
import { findLines } from './files.mjs';

const FORBIDDEN = [
  { pattern: /(?<![\w.~-])\/(home|Users|root|work|mnt)\/[A-Za-z]/, message: 'a path of one machine' },
  { pattern: /\b(registry\.(npmjs|yarnpkg)|(deb|security|snapshot)\.debian|pypi|files\.pythonhosted)\.(org|com)\b/,
    message: 'the host of a package registry' },
];

const TOP_LEVEL = new Set([
  '.ci', '.clang-format', '.gitattributes', '.gitignore', '.npmrc', 'CHANGELOG.md', 'CMakeLists.txt', 'CMakePresets.json',
  'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'demo', 'docs', 'native', 'package-lock.json', 'package.json', 'src',
  'tests', 'tsconfig.json', 'wasm', 'web',
]);

export function checkHygiene(files) {
  const words = FORBIDDEN.flatMap(({ pattern, message }) =>
    findLines(files, pattern).map(({ name, line, match }) => ({ name, line, message: `${message}: ${match[0]}` })));
  const strangers = [...new Set(files.map(({ name }) => name.split('/')[0]))].filter((name) => !TOP_LEVEL.has(name))
    .map((name) => ({ name, message: 'does not belong at the top of the repository' }));
  const fetched = files.filter(({ name }) => /(^|\/)(node_modules|build|dist)\//.test(name))
    .map(({ name }) => ({ name, message: 'is fetched or built, and not to be committed' }));
  return [...words, ...strangers, ...fetched];
}
