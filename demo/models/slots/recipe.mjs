// The slots of a spoken command: a playlist, a city, a time.
import { snips } from '../recipes/corpora.mjs';
import { tagWords } from '../recipes/encoder.mjs';
import { spanF1 } from '../recipes/metrics.mjs';

export const recipe = {
  about: 'finds the slots of spoken commands',
  minutes: 4,
  task: 'token-classification',
  from: 'fill-mask',
  labels: () => [...new Set(snips('train').flatMap(({ labels }) => labels))].sort(),
  async prepare({ writeRows }) {
    for (const side of ['train', 'validation']) writeRows(side, snips(side).map(({ words, labels }) => ({ words, labels })));
  },
  options: {
    'batch-tokens': 1024, epochs: 10, 'learning-rate': 1e-3, schedule: 'linear', warmup: 100, 'weight-decay': 0.01, clip: 1, dropout: 0.15,
    'label-smoothing': 0.1, seed: 1, 'validate-every': 200,
  },
  async evaluate(model) {
    const rows = snips('test');
    return { utterances: rows.length, ...spanF1(await tagWords(model, rows), rows.map(({ labels }) => labels)) };
  },
};
