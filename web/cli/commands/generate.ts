// webformer generate: goes on with texts.
import { defineCommand } from '../arguments.js';
import { SAMPLING_OPTIONS, samplingOptions, writeAnswer } from '../generating.js';
import { MODEL_OPTIONS, withModel } from '../models.js';
import { forEachText } from '../texts.js';

export const generate = defineCommand({
  name: 'generate',
  summary: 'Goes on with texts',
  usage: 'MODEL [TEXT]...',
  least: 1,
  options: { ...SAMPLING_OPTIONS, ...MODEL_OPTIONS },
  about:
    'Writes what is new, without the text that it goes on with. In a pipe a line feed is written as \\n, so that one line answers ' +
    'one line; JSON has the text as it is.',
  examples: [
    "webformer generate models/tales 'Once upon a time' -n 100 -t 0.8 --top-k 40",
    "webformer generate models/tales --greedy -n 48 --json 'The old king said'",
    'webformer generate model.gguf --seed 1 < prompts.txt > continued.txt',
  ],
  run: ([source, ...texts], values, signal) => {
    const options = { ...samplingOptions(values), signal };
    return withModel(source!, values, signal, (model) =>
      forEachText('generate', texts, values.json, signal, async (input) => {
        await writeAnswer(model.generate(input, options), values.json, signal, { input });
      }),
    );
  },
});
