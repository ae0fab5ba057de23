// The files of the repository as the lint sees them: all that git tracks or would track.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../wasm/setup/paths.mjs';

const TEXT = /\.(cpp|h|ts|mts|mjs|js|json|md|txt|css|html|cmake|wgsl|py|yml|yaml)$|^(\.gitignore|\.npmrc|LICENSE|\.ci\/run)$/;

/**
 * @typedef {object} SourceFile
 * @property {string} name path from the repository's root, with slashes
 * @property {string[]} lines its text; none where the file is not text
 */

/** @returns {SourceFile[]} */
export function repositoryFiles() {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const names = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 });
  return names.split('\0').filter((name) => name && existsSync(path.join(ROOT, name)))
    .map((name) => ({ name, lines: TEXT.test(name) ? readFileSync(path.join(ROOT, name), 'utf8').split('\n') : [] }));
}

/** Every line that a pattern matches, as `{ name, line, match }`; `line` counts from 1. */
export function findLines(files, pattern) {
  return files.flatMap(({ name, lines }) =>
    lines.flatMap((text, index) => {
      const match = pattern.exec(text);
      return match ? [{ name, line: index + 1, match }] : [];
    }));
}
