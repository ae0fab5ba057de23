// The corpora that the models learn from, in the folder `shared/data` beside the repository, and their sides: train, validation, test.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import { ROOT } from '../../../wasm/setup/paths.mjs';

export const FOLDER = path.join(process.env.WEBFORMER_SHARED ?? path.join(ROOT, '../shared'), 'data/corpora');

const readText = (name) => gunzipSync(readFileSync(path.join(FOLDER, name))).toString();

/** One file of a zip archive, which its central directory (PKWARE's APPNOTE 4.3.12) tells the place of. */
function readZipped(name, wanted) {
  const bytes = readFileSync(path.join(FOLDER, name)), end = bytes.lastIndexOf(Buffer.from('PK\x05\x06'));
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const size = bytes.readUInt32LE(at + 20);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    if (bytes.toString('utf8', at + 46, at + 46 + nameLength) === wanted) {
      const local = bytes.readUInt32LE(at + 42);
      const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
      return inflateRawSync(bytes.subarray(start, start + size)).toString();
    }
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Error(`${name}: no ${wanted} in it`);
}

/** Blocks of lines, with a blank line after each. */
const blocksOf = (text) => text.split(/\n\n+/).map((block) => block.split('\n').filter(Boolean)).filter((lines) => lines.length > 0);

const columns = (lines) => {
  const rows = lines.map((line) => line.split('\t'));
  return { words: rows.map(([word]) => word), labels: rows.map(([, label]) => label) };
};

const TATOEBA_SIDES = ['test', 'validation'];

/** Tatoeba's `{ english, french }`; all pairs of one English sentence are on one side. */
export function tatoebaPairs(side) {
  const lines = readZipped('tatoeba-eng-fra-2019.zip', 'fra-eng/fra.txt').split('\n').filter(Boolean);
  return lines.map((line) => line.split('\t'))
    .filter(([english]) => (TATOEBA_SIDES[crc32(english) % 50] ?? 'train') === side)
    .map(([english, french]) => ({ english, french: french.normalize('NFKC').trim() }));    // which makes narrow and hard spaces plain
}

/** The English sentences of Tatoeba's English-French pairs, each once. */
export const tatoebaEnglish = (side) => [...new Set(tatoebaPairs(side).map(({ english }) => english))];

/** Andersen's tales, then Aesop's; a tenth is held out. Paragraphs are lines. */
export function tales(side) {
  const all = ['andersen', 'aesop'].flatMap((name) => readText(`tales/${name}.en.txt.gz`).split(/^# .*\n/m).filter((tale) => tale.trim()));
  return all.filter((_, i) => ((i + 1) % 10 === 0 ? 'test' : 'train') === side).map((tale) => tale.trim().replace(/\n\n+/g, '\n'));
}

/** UD English EWT: `{ words, labels }` a sentence, the labels universal part-of-speech tags. */
export function ewt(side) {
  return blocksOf(readText(`ud-english-ewt/${side === 'validation' ? 'dev' : side}.tsv.gz`)).map(columns);
}

/** Snips: `{ intent, words, labels }` an utterance, the labels BIO tags of slots. A twentieth of its train side is for validation. */
export function snips(side) {
  return blocksOf(readText(`snips-2017/${side === 'test' ? 'test' : 'train'}.txt.gz`))
    .map(([intent, ...lines]) => ({ intent: intent.replace('# intent = ', ''), ...columns(lines) }))
    .filter(({ words }) => side === 'test' || (crc32(words.join(' ')) % 20 === 0) === (side === 'validation'));
}

/** SMS Spam Collection: `{ text, label }` a message, the label ham or spam. */
export function sms(side) {
  return readText('sms-spam/sms.tsv.gz').split('\n').filter(Boolean)
    .filter((line) => (['test', 'validation'][crc32(line) % 10] ?? 'train') === side)
    .map((line) => ({ label: line.slice(0, line.indexOf('\t')), text: line.slice(line.indexOf('\t') + 1) }));
}
