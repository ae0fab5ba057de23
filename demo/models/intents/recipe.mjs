// What a spoken command asks for, of seven things.
import { snips } from '../recipes/corpora.mjs';
import { classifyTexts } from '../recipes/encoder.mjs';
import { accuracy } from '../recipes/metrics.mjs';

const rowsOf = (side) => snips(side).map(({ intent, words }) => ({ text: words.join(' '), label: intent }));

export const recipe = {
  about: 'tells the intent of spoken commands',
  minutes: 2,
  task: 'text-classification',
  from: 'slots',
  labels: () => [...new Set(snips('train').map(({ intent }) => intent))].sort(),
  async prepare({ writeRows }) {
    for (const side of ['train', 'validation']) writeRows(side, rowsOf(side));
  },
  options: {
    'batch-tokens': 1024, epochs: 4, 'learning-rate': 5e-4, schedule: 'linear', warmup: 100, 'weight-decay': 0.01, clip: 1, dropout: 0.2,
    'label-smoothing': 0.1, seed: 1, 'validate-every': 100,
  },
  async evaluate(model) {
    const rows = rowsOf('test'), found = await classifyTexts(model, rows.map(({ text }) => text));
    return { utterances: rows.length, accuracy: accuracy([found], [rows.map(({ label }) => label)]) };
  },
};
