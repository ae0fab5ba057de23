// webformer tokenize: texts to tokens and ids, and ids back to texts.
import { TransformerError, type Tokenizer } from '../../index.js';
import { UsageError, defineCommand } from '../arguments.js';
import { SOURCE_OPTIONS, openTokenizer } from '../models.js';
import { writeJson, writeLine } from '../output.js';
import { forEachText } from '../texts.js';

function readIds(text: string): number[] {
  const words = text.split(/[\s,[\]]+/).filter(Boolean);
  const wrong = words.find((word) => !/^\d+$/.test(word));
  if (wrong !== undefined) throw new UsageError(`--decode: '${wrong}' found, ids expected, with spaces or commas between them`);
  return words.map(Number);
}

/** [What stands in a line, what JSON says]. */
function decoded(tokenizer: Tokenizer, line: string, skipSpecialTokens: boolean): [string, object] {
  const ids = readIds(line);
  try {
    const text = tokenizer.decode(ids, { skipSpecialTokens });
    return [text, { ids, text }];
  } catch (error) {
    if (error instanceof TransformerError && error.code === 'invalid_argument') throw new UsageError(`--decode: ${error.message}`);
    throw error;
  }
}

function encoded(tokenizer: Tokenizer, text: string, addSpecialTokens: boolean, idsOnly: boolean): [string, object] {
  const { ids, tokens, offsets } = tokenizer.encode(text, { addSpecialTokens });
  return [(idsOnly ? ids : tokens).join(' '), { text, ids, tokens, offsets }];
}

export const tokenize = defineCommand({
  name: 'tokenize',
  summary: 'Cuts texts into tokens, or puts texts together from ids',
  usage: 'MODEL [TEXT]...',
  least: 1,
  options: {
    ids: { kind: 'flag', help: 'write ids instead of tokens' },
    decode: { kind: 'flag', short: 'd', help: 'texts are ids, and come back as text' },
    'no-special-tokens': { kind: 'flag', help: 'none that mark a begin, an end or the like' },
    'keep-special-tokens': { kind: 'flag', help: 'with --decode, which leaves them out' },
    ...SOURCE_OPTIONS,
  },
  about: 'Of MODEL the tokenizer alone is loaded.',
  examples: [
    "webformer tokenize hf:google-bert/bert-base-uncased 'Attention is all you need.'",
    'webformer tokenize --ids models/en-fr < sentences.txt',
    "webformer tokenize --decode models/en-fr '269 50 22 59 3'",
    "webformer tokenize --json tokenizer.json 'naïve' | jq -c .offsets",
  ],
  async run([source, ...texts], values, signal) {
    if (values.ids && values.decode) throw new UsageError('--ids and --decode contradict each other');
    const without = values['no-special-tokens'] === true, keeps = values['keep-special-tokens'] === true;
    if (keeps && without) throw new UsageError('--keep-special-tokens and --no-special-tokens contradict each other');
    if (keeps && !values.decode) throw new UsageError('--keep-special-tokens goes with --decode');
    const tokenizer = await openTokenizer(source!, values, signal);
    await forEachText('tokenize', texts, values.json, signal, async (text) => {
      const [line, object] = values.decode ? decoded(tokenizer, text, !keeps) : encoded(tokenizer, text, !without, values.ids === true);
      await (values.json ? writeJson(object, signal) : writeLine(line, signal));
    });
  },
});
