// Universal part-of-speech tags of English words.
import { ewt } from '../recipes/corpora.mjs';
import { tagWords } from '../recipes/encoder.mjs';
import { accuracy } from '../recipes/metrics.mjs';

/** "do n't", as it is found in running text: BERT's words of "don't" are "don", "'" and "t". */
function asWritten({ words, labels }) {
  const joined = { words: [...words], labels };
  words.forEach((word, i) => {
    if (i === 0 || !/^n['’]t$/i.test(word)) return;
    joined.words[i - 1] += word[0];
    joined.words[i] = word.slice(1);
  });
  return joined;
}
const hasNot = ({ words }) => words.some((word, i) => i > 0 && /^n['’]t$/i.test(word));

export const recipe = {
  about: "tags words with Universal Dependencies' parts of speech",
  minutes: 5,
  task: 'token-classification',
  from: 'fill-mask',
  labels: () => [...new Set(ewt('train').flatMap(({ labels }) => labels))].sort(),
  async prepare({ writeRows }) {
    const train = ewt('train');
    writeRows('train', [...train, ...train.filter(hasNot).map(asWritten)]);
    writeRows('validation', ewt('validation'));
  },
  options: {
    'batch-tokens': 1024, epochs: 6, 'learning-rate': 1e-3, schedule: 'linear', warmup: 100, 'weight-decay': 0.01, clip: 1, dropout: 0.15,
    'label-smoothing': 0.1, seed: 1, 'validate-every': 250,
  },
  async evaluate(model) {
    const rows = ewt('test');
    return { sentences: rows.length, accuracy: accuracy(await tagWords(model, rows), rows.map(({ labels }) => labels)) };
  },
};
