// A small BERT that fills masks: what the models that label begin with.
import { crc32 } from 'node:zlib';
import { ewt, sms, snips, tales, tatoebaEnglish } from '../recipes/corpora.mjs';
import { makeTokenizer, writeNewModel } from '../recipes/encoder.mjs';

const sentencesOf = (tale) => tale.split('\n').flatMap((paragraph) => paragraph.split(/(?<=[.!?]["']?) +(?=["'A-Z])/));

/** Sentences of all corpora. */
const texts = (side) => [
  ...tatoebaEnglish(side), ...tales(side).flatMap(sentencesOf), ...[...ewt(side), ...snips(side)].map(({ words }) => words.join(' ')),
  ...sms(side).map(({ text }) => text),
].filter((text) => text.length > 1);

/** A word of each sentence that has some, the same ones each time: `{ masked, word }`. */
function maskOne(sentence) {
  const words = [...sentence.matchAll(/(?<![\p{L}\p{N}'])\p{L}+(?![\p{L}\p{N}'])/gu)];
  if (words.length < 4) return [];
  const { 0: word, index } = words[crc32(sentence) % words.length];
  return [{ masked: `${sentence.slice(0, index)}[MASK]${sentence.slice(index + word.length)}`, word }];
}

export const recipe = {
  about: 'fills masks in English sentences',
  minutes: 20,
  task: 'masked-lm',
  async prepare({ writeRows, folder }) {
    const train = texts('train');
    writeNewModel(folder, await makeTokenizer(train, 4096), { width: 128, layers: 3, heads: 4, inner: 512 });
    writeRows('train', train);
    writeRows('validation', texts('validation'));
  },
  options: {
    fresh: true, 'whole-words': true, 'batch-tokens': 2048, epochs: 3, 'learning-rate': 2e-3, schedule: 'cosine', warmup: 300,
    'weight-decay': 0.01, clip: 1, beta2: 0.98, dropout: 0, seed: 1, 'validate-every': 1000, 'checkpoint-every': 200,
  },
  /** Of words that are one piece of the vocabulary, the share that is among the first five, and first. */
  async evaluate(model) {
    const rows = [...tatoebaEnglish('test'), ...tales('test').flatMap(sentencesOf), ...ewt('test').map(({ words }) => words.join(' '))]
      .flatMap(maskOne).filter(({ word }) => model.tokenizer.idOf(word) !== undefined);
    const filled = [];
    for (const { masked } of rows) filled.push((await model.fillMask(masked, { topK: 5 }))[0]);
    const isAmong = (count) => ({ word }, i) => filled[i].slice(0, count).some(({ token }) => token === word);
    const share = (count) => rows.filter(isAmong(count)).length / rows.length;
    return { sentences: rows.length, top1: share(1), top5: share(5) };
  },
};
