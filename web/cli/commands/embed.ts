// webformer embed: a vector for each text.
import { defineCommand } from '../arguments.js';
import { MODEL_OPTIONS, withModel } from '../models.js';
import { writeJson, writeLine } from '../output.js';
import { forEachText } from '../texts.js';

export const embed = defineCommand({
  name: 'embed',
  summary: 'Makes a vector of each text',
  usage: 'MODEL [TEXT]...',
  least: 1,
  options: {
    pooling: { kind: ['mean', 'cls', 'max', 'last'], value: 'KIND', help: 'how the vectors of tokens become one' },
    'no-normalize': { kind: 'flag', help: 'keep the length of the vectors' },
    ...MODEL_OPTIONS,
  },
  about: 'Pooling and length are as the model asks for, unless an option says otherwise. Writes the numbers with spaces between them.',
  examples: [
    "webformer embed hf:sentence-transformers/all-MiniLM-L6-v2 'A cat sleeps.'",
    'webformer embed models/minilm --json < sentences.txt > vectors.jsonl',
  ],
  run: ([source, ...texts], values, signal) => {
    const options = { pooling: values.pooling, normalize: values['no-normalize'] ? false : undefined, signal };
    return withModel(source!, values, signal, (model) =>
      forEachText('embed', texts, values.json, signal, async (text) => {
        const vector = [...(await model.embed(text, options)).data];
        await (values.json ? writeJson({ text, vector }, signal) : writeLine(vector.join(' '), signal));
      }),
    );
  },
});
