// webformer translate: a translation for each text.
import { defineCommand } from '../arguments.js';
import { DECODING_OPTIONS, decodingOptions, writeAnswer } from '../generating.js';
import { MODEL_OPTIONS, withModel } from '../models.js';
import { forEachText } from '../texts.js';

export const translate = defineCommand({
  name: 'translate',
  summary: 'Translates texts',
  usage: 'MODEL [TEXT]...',
  least: 1,
  options: {
    from: { kind: 'text', value: 'LANGUAGE', help: 'of the texts, where the model knows several' },
    to: { kind: 'text', value: 'LANGUAGE', help: 'of the translations, where the model knows several' },
    ...DECODING_OPTIONS,
    ...MODEL_OPTIONS,
  },
  about: 'Languages are named as the model names them: fr, fra_Latn, fr_XX.',
  examples: [
    "webformer translate models/en-fr 'Where is the station?'",
    'webformer translate models/en-fr --num-beams 4 < english.txt > french.txt',
    "webformer translate hf:facebook/m2m100_418M --from en --to fr 'Good morning.'",
  ],
  run: ([source, ...texts], values, signal) => {
    const options = { from: values.from, to: values.to, ...decodingOptions(values), signal };
    return withModel(source!, values, signal, (model) =>
      forEachText('translate', texts, values.json, signal, async (input) => {
        await writeAnswer(model.translate(input, options), values.json, signal, { input });
      }),
    );
  },
});
