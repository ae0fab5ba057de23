// trainTokenizer: on the calling thread, in short steps.
import { TransformerError, invalidArgument, throwIfAborted } from './errors.js';
import { extend } from './extra.js';
import { Instance } from './instance.js';
import type { WasmTokenizer, WasmTokenizerTrainer } from './module.js';
import { checkChoice, checkCount, checkOptions, checkSignal, checkText, describe } from './options.js';
import { compileRuntime } from './runtime.js';
import { checkTexts, feedTexts } from './texts.js';
import { BoundTokenizer } from './tokenizer.js';
import type { Tokenizer, TokenizerKind, TrainTokenizerOptions } from './types.js';
import { toJson } from './values.js';
import { nextTask } from './yield.js';

const KINDS = [
  'word', 'char', 'bpe', 'byte-bpe', 'wordpiece', 'unigram', 'sentencepiece-bpe', 'sentencepiece-unigram',
] as const satisfies readonly TokenizerKind[];
const COUNTS = { vocabSize: 1, minFrequency: 0, limitAlphabet: 0, maxTokenLength: 1 } as const;
const TEXTS = ['unknownToken', 'endOfWordSuffix', 'continuingPrefix'] as const;
const LISTS = ['specialTokens', 'initialAlphabet'] as const;
const STAGES = ['normalizer', 'preTokenizer'] as const;
const OPTIONS = [...Object.keys(COUNTS), ...TEXTS, ...LISTS, ...STAGES, 'onProgress', 'signal'];

const STEP_MS = 20;

function check(kind: TokenizerKind, options: TrainTokenizerOptions): void {
  if (kind === undefined) throw invalidArgument(`kind: undefined found, one of ${KINDS.join(', ')} expected`);
  checkChoice('kind', kind, KINDS);
  if (options === undefined) throw invalidArgument('trainTokenizer: no options found, { vocabSize } expected at least');
  checkOptions('trainTokenizer', options, OPTIONS);
  if (options.vocabSize === undefined)
    throw invalidArgument('vocabSize: undefined found, a whole number expected', { option: 'vocabSize' });
  for (const [name, least] of Object.entries(COUNTS)) checkCount(name, options[name as keyof typeof COUNTS], least);
  for (const name of TEXTS) if (options[name] !== undefined) checkText(name, options[name]);
  for (const name of LISTS) {
    const list: unknown = options[name];
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw invalidArgument(`${name}: ${describe(list)} found, a list expected`, { option: name });
    list.forEach((text, i) => checkText(`${name}[${i}]`, text));
  }
  for (const name of STAGES) {
    if (options[name] === undefined || typeof options[name] === 'object') continue;
    throw invalidArgument(`${name}: ${describe(options[name])} found, an object as in tokenizer.json expected`, { option: name });
  }
  if (options.onProgress !== undefined && typeof options.onProgress !== 'function')
    throw invalidArgument(`onProgress: ${describe(options.onProgress)} found, a function expected`);
  checkSignal('signal', options.signal);
}

/** Stages are read as those of a file are; here they are the caller's. */
function start(instance: Instance, kind: TokenizerKind, settings: object): WasmTokenizerTrainer {
  try {
    return instance.call((entries) => entries.trainTokenizer(kind, toJson(settings)));
  } catch (error) {
    if (error instanceof TransformerError && error.code === 'invalid_file') throw invalidArgument(error.message, { ...error.details });
    throw error;
  }
}

async function train(
  instance: Instance, trainer: WasmTokenizerTrainer, onProgress: TrainTokenizerOptions['onProgress'], signal: AbortSignal,
): Promise<WasmTokenizer> {
  const job = instance.call(() => trainer.train());
  try {
    for (;;) {
      throwIfAborted(signal);
      const { done, progress } = instance.call(() => job.step(STEP_MS));
      if (progress) onProgress?.(progress);
      if (done) return instance.call(() => job.result());
      await nextTask();
    }
  } finally {
    job.delete();
  }
}

/**
 * Learns a tokenizer from texts. What is learnt, and in which order, is as in Hugging Face's tokenizers, and for the two SentencePiece
 * kinds as in SentencePiece. Texts are not kept, only the words in them. `unknownToken` is put before `specialTokens` where it is not among
 * them; where it is not given, it is '<unk>' ('[UNK]' for wordpiece), but bpe and byte-bpe have none.
 * @param texts each is on its own: words do not go on from one to the next. The SentencePiece kinds take each line as a sentence.
 */
export async function trainTokenizer(
  kind: TokenizerKind, texts: Iterable<string> | AsyncIterable<string>, options: TrainTokenizerOptions,
): Promise<Tokenizer> {
  check(kind, options);
  checkTexts(texts);
  const { onProgress, signal = new AbortController().signal, ...settings } = options;
  const { module } = await compileRuntime({ signal });
  // An instance of its own, whose memory goes with it.
  const instance = await Instance.of(module);
  await extend(instance);
  const trainer = start(instance, kind, settings);
  await feedTexts(instance, texts, signal, (lengths) => trainer.feed(lengths));
  const trained = await train(instance, trainer, onProgress, signal);
  return BoundTokenizer.unpack(module, instance.call(() => trained.pack()));
}
