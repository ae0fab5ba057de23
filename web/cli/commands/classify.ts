// webformer classify: labels for each text, the model's own or the user's.
import type { LabelScore, Model } from '../../index.js';
import { UsageError, defineCommand } from '../arguments.js';
import { MODEL_OPTIONS, withModel } from '../models.js';
import { writeJson, writeLine } from '../output.js';
import { forEachText } from '../texts.js';

interface Choices {
  labels?: string[];
  template?: string;
  multiLabel?: boolean;
  topK: number;
  signal: AbortSignal;
}

async function labelsOf(model: Model, text: string, { labels, template, multiLabel, topK, signal }: Choices): Promise<LabelScore[]> {
  if (labels) return (await model.zeroShot(text, labels, { template, multiLabel, signal })).slice(0, topK);
  return (await model.classify(text, { topK, multiLabel, signal }))[0]!;
}

export const classify = defineCommand({
  name: 'classify',
  summary: 'Says which label fits each text',
  usage: 'MODEL [TEXT]...',
  least: 1,
  options: {
    'top-k': { kind: 'whole', value: 'K', help: 'the K labels that fit best; default 1' },
    label: { kind: 'texts', of: 'labels', help: 'a label of your own, for models of inference (zero-shot); given for each of them' },
    template: { kind: 'text', help: "the sentence that a label is put into; default 'This example is {}.'" },
    'multi-label': { kind: 'flag', help: 'several labels may be right at once' },
    ...MODEL_OPTIONS,
  },
  about: 'Writes label and score with a tab between them, and a tab between one label and the next.',
  examples: [
    "webformer classify models/sentiment 'I like it.'",
    'webformer classify models/sentiment --top-k 3 --json < reviews.txt',
    "webformer classify models/nli --label sport --label politics 'They won the cup.'",
  ],
  run: ([source, ...texts], values, signal) => {
    const { label: labels, template, 'multi-label': multiLabel, 'top-k': topK = 1, json } = values;
    if (template !== undefined && !labels) throw new UsageError('--template goes with --label');
    return withModel(source!, values, signal, (model) =>
      forEachText('classify', texts, json, signal, async (text) => {
        const found = await labelsOf(model, text, { labels, template, multiLabel, topK, signal });
        const line = found.map(({ label, score }) => `${label}\t${score.toFixed(4)}`).join('\t');
        await (json ? writeJson({ text, labels: found }, signal) : writeLine(line, signal));
      }),
    );
  },
});
