// Spam among text messages.
import { sms } from '../recipes/corpora.mjs';
import { classifyTexts } from '../recipes/encoder.mjs';
import { labelF1 } from '../recipes/metrics.mjs';

export const recipe = {
  about: 'tells spam from ham among text messages',
  minutes: 3,
  task: 'text-classification',
  from: 'fill-mask',
  labels: () => ['ham', 'spam'],
  async prepare({ writeRows }) {
    for (const side of ['train', 'validation']) writeRows(side, sms(side));
  },
  options: {
    'batch-tokens': 1024, epochs: 6, 'learning-rate': 5e-4, schedule: 'linear', warmup: 100, 'weight-decay': 0.01, clip: 1, dropout: 0.15,
    'label-smoothing': 0.05, seed: 1, 'validate-every': 100,
  },
  async evaluate(model) {
    const rows = sms('test'), found = await classifyTexts(model, rows.map(({ text }) => text));
    return { messages: rows.length, ...labelF1(found, rows.map(({ label }) => label), 'spam') };
  },
};
