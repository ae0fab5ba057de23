// What to say where a part of a model, or of a tokenizer, is not among the files that were given.
import { TransformerError } from '../errors.js';
import type { FileSet } from '../source.js';

/** Names beyond these help nobody. */
const MOST_LISTED = 12;

async function aboutPickle(files: FileSet, name: string): Promise<string> {
  const size = files.isAddress ? undefined : (await files.open(name, true))?.size;
  return `; ${name} is ${size === 0 ? 'empty' : 'a pickle, which may hold programs: convert it to safetensors'}`;
}

async function found(files: FileSet): Promise<string> {
  const { names, isAddress } = files;
  if (!names) return '';
  if (names.length === 0) return '; the folder is empty';
  const pickle = names.find((name) => /\.(bin|pt|pth|ckpt)$/.test(name));
  const more = pickle ? await aboutPickle(files, pickle) : '';
  if (names.length === 1) return `; there is only ${names[0]}${isAddress ? ", and the address of a folder ends in '/'" : ''}${more}`;
  const others = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
  return `; there are: ${names.slice(0, MOST_LISTED).join(', ')}${others}${more}`;
}

const missing = (part: string, what: string, advice = ''): TransformerError =>
  new TransformerError('invalid_file', what + advice, { details: { missing: part } });

const WHOLE = '. Give the whole folder (config.json, model.safetensors, tokenizer.json), or one .gguf file';

export const missingConfig = async (files: FileSet): Promise<TransformerError> =>
  missing('config.json', `config.json is missing${await found(files)}`, WHOLE);

/** @param candidates files of weights, none of which can be meant without an index */
export async function missingWeights(files: FileSet, candidates: readonly string[]): Promise<TransformerError> {
  const expected = 'no weights found: model.safetensors, or model.safetensors.index.json with its files, expected';
  const which = `; which of ${candidates.join(', ')} is meant cannot be told without the index`;
  return missing('model.safetensors', expected + (candidates.length > 1 ? which : await found(files)), WHOLE);
}

export async function missingTokenizer(files: FileSet): Promise<TransformerError> {
  const expected = 'tokenizer.json, vocab.txt, vocab.json with merges.txt, or a SentencePiece .model or .spm';
  return missing('tokenizer.json', `no tokenizer found: ${expected} expected${await found(files)}`);
}
