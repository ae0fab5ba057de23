// The files of a tokenizer, found and read.
import { TransformerError } from '../errors.js';
import { readAll, refuseEmpty, type OpenFile } from '../files.js';
import type { Instance } from '../instance.js';
import type { FileSet } from '../source.js';
import { BoundTokenizer } from '../tokenizer.js';
import type { ProgressMeter } from './progress.js';

const COMPANIONS = ['tokenizer_config.json', 'special_tokens_map.json'];
/** Without a tokenizer.json: what a folder that cannot be listed may have instead. */
const OTHERS = [
  'added_tokens.json',
  'vocab.txt',
  'vocab.json',
  'merges.txt',
  'tokenizer.model',
  'spiece.model',
  'sentencepiece.bpe.model',
  'sentencepiece.model',
  'target_vocab.json',
  'source.spm',
  'target.spm',
];
const TEMPLATE = 'chat_template.jinja';
const KNOWN_JSON = /^(tokenizer(_config)?|(target_)?vocab|special_tokens_map|added_tokens)\.json$/;
const KNOWN_OTHER = /^((vocab|merges)\.txt|[^/]+\.(model|spm)|chat_template\.jinja)$/;
const COMPLETE = /^(tokenizer\.json|vocab\.txt|vocab\.json|[^/]+\.(model|spm|gguf))$/;

const ONE_OF_SEVERAL = /^((.*_)?config|special_tokens_map|added_tokens|(target_)?vocab|.*\.index)\.json$|^merges\.txt$/;
/** A vocabulary of single characters has no merges. */
const MAY_BE_EMPTY = /^(merges\.txt|chat_template\.jinja)$/;

export type TokenizerFiles = Map<string, Uint8Array>;

/** Reads a file whole and tells how far it is. */
export async function readWhole(file: OpenFile, progress: ProgressMeter): Promise<Uint8Array> {
  progress.expect(file.name, file.size);
  const bytes = await readAll(file, (length) => progress.read(file.cached ? 'cache' : 'download', file.name, length));
  if (!MAY_BE_EMPTY.test(file.name)) refuseEmpty(file.name, bytes.length);
  refuseForeign(file.name, bytes);
  return bytes;
}

/** Texts that servers send in place of a file, whatever its name says. */
function refuseForeign(name: string, bytes: Uint8Array): void {
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
  const isPointer = start.startsWith('version https://git-lfs'), isPage = /^<(!doctype|html|\?xml)/i.test(start);
  if (!isPointer && !isPage) return;
  const what = isPointer ? 'a Git LFS pointer: the file itself was not fetched (git lfs pull)' : 'an HTML page';
  throw new TransformerError('invalid_file', `${name} is ${what}`, { details: { file: name } });
}

async function readSome(files: FileSet, names: readonly string[], progress: ProgressMeter): Promise<TokenizerFiles> {
  const read = await Promise.all(
    names.map(async (name): Promise<[string, Uint8Array] | null> => {
      const file = await files.open(name, true);
      return file ? [name, await readWhole(file, progress)] : null;
    }),
  );
  return new Map(read.filter((entry) => entry !== null));
}

/** Some checkpoints keep the chat template in a file of its own. */
function lacksTemplate(files: TokenizerFiles): boolean {
  const config = files.get('tokenizer_config.json');
  return !config || !new TextDecoder().decode(config).includes('"chat_template"');
}

/** What the tokenizer of a source is made of; empty where there is none. */
export async function readTokenizerFiles(files: FileSet, progress: ProgressMeter, chats: boolean): Promise<TokenizerFiles> {
  if (files.names) {
    const renamed = files.names.length === 1 ? nameOfOnly(files.names[0]!) : null;
    if (renamed) return new Map([[renamed, await readWhole(await files.open(files.names[0]!), progress)]]);
    return readSome(
      files,
      files.names.filter((name) => KNOWN_JSON.test(name) || KNOWN_OTHER.test(name)),
      progress,
    );
  }
  const found = await readSome(files, ['tokenizer.json', ...COMPANIONS], progress);
  if (!found.has('tokenizer.json')) {
    for (const [name, bytes] of await readSome(files, OTHERS, progress)) found.set(name, bytes);
  }
  if (chats && isComplete(found) && lacksTemplate(found)) {
    for (const [name, bytes] of await readSome(files, [TEMPLATE], progress)) found.set(name, bytes);
  }
  return found;
}

/** A single file may have any name, unless it is one of several: what it is, its ending says. */
function nameOfOnly(name: string): string | null {
  if (/\.(model|spm)$/.test(name)) return name;
  if (ONE_OF_SEVERAL.test(name)) return null;
  if (/\.json$/.test(name)) return 'tokenizer.json';
  return /\.txt$/.test(name) ? 'vocab.txt' : null;
}

export const isComplete = (files: TokenizerFiles): boolean => [...files.keys()].some((name) => COMPLETE.test(name));

export interface Tokenizers {
  source: BoundTokenizer;
  /** The same where the target side has no vocabulary of its own. */
  target: BoundTokenizer;
}

/** Compiles what was read. */
export function compileTokenizers(instance: Instance, files: TokenizerFiles): Tokenizers {
  const names = [...files.keys()],
    contents = [...files.values()];
  instance.stage(...contents);
  const [source, target] = instance.call((module) =>
    module.readTokenizers(
      names,
      contents.map((bytes) => bytes.length),
    ),
  );
  const bound = new BoundTokenizer(instance, source);
  return { source: bound, target: target ? new BoundTokenizer(instance, target) : bound };
}
