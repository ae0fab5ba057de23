// Text or ids in, text out.
import { invalidArgument } from '../errors.js';
import type { Instance } from '../instance.js';
import type { GenerationPrompt, GenerationSettings, RequestContext, TextPrompt } from '../protocol.js';
import { JoinedParts } from '../tasks/joined-parts.js';
import { isBlank, splitLongText, splitParagraphs, type Part } from '../tasks/long-texts.js';
import { mostTokens } from '../tasks/text-model.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { GenerationItem, GenerationResult } from '../types.js';
import type { Checkpoint } from './load.js';
import { finish } from './jobs.js';

/** What cannot be joined from the parts of a text. A text that need not be taken apart is whole with it. */
const OF_ONE_PART = ['stop', 'attentions', 'returnBeams'];

/** What an absent seed is drawn from: 53 bits. */
function entropy(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  return (high >>> 11) * 2 ** 32 + low;
}

/** Texts with what the task puts around them, as ids of at most `maxLength`. */
function encodeTexts(tokenizer: BoundTokenizer, prompt: TextPrompt, texts: readonly string[], maxLength: number): Int32Array[] {
  const { prefix = '', around, addSpecialTokens } = prompt;
  const [before, after] = around ?? [[], []];
  const room = Math.max(0, maxLength - before.length - after.length);
  const truncation = maxLength === Infinity ? undefined : { maxLength: room };
  const encodings = tokenizer.encodeBatch(texts.map((text) => prefix + text), { addSpecialTokens, truncation });
  return encodings.map(({ ids }) => Int32Array.of(...before, ...ids, ...after));
}

/** The parts of each text, none of a blank one; null where each text is its only part. `whole`: only what is too long is taken apart. */
function partsOf(tokenizer: BoundTokenizer, prompt: TextPrompt, maxLength: number, whole: boolean): Part[][] | null {
  if (prompt.long === 'refuse') return null;
  const count = (texts: readonly string[]): number[] => encodeTexts(tokenizer, prompt, texts, Infinity).map(({ length }) => length);
  const bounded = prompt.long === 'split' && maxLength !== Infinity;
  const lengths = bounded ? count(prompt.texts) : [];
  const parts = prompt.texts.map((text, i): Part[] => {
    if (isBlank(text)) return [];
    if (bounded && lengths[i]! > maxLength) return splitLongText(text, maxLength, count);
    return prompt.long === 'cut' || whole ? [{ text, space: '' }] : splitParagraphs(text);
  });
  return parts.every(({ length }) => length === 1) ? null : parts;
}

export async function generate(
  instance: Instance, checkpoint: Checkpoint, prompt: GenerationPrompt, settings: GenerationSettings, context: RequestContext,
): Promise<GenerationResult> {
  const run = (ids: Int32Array[], decoderIds: Int32Array[], options: string, emit = context.emit): Promise<GenerationResult> => {
    const job = instance.call(() => checkpoint.model.generate(ids, decoderIds, settings.task, options, entropy()));
    return finish(instance, checkpoint.gpu, job, { ...context, emit });
  };
  if (prompt.kind === 'ids') return run(prompt.ids, prompt.decoderIds, settings.options);
  if (!checkpoint.tokenizers) throw invalidArgument('generate: this model has no tokenizer, so that it takes ids only');
  const tokenizer = checkpoint.tokenizers.source;
  const most = mostTokens({ info: checkpoint.info, tokenizer });
  const options = JSON.parse(settings.options) as Record<string, unknown> & { numReturnSequences?: number };
  const indivisible = OF_ONE_PART.find((name) => options[name] !== undefined && options[name] !== false);
  const parts = partsOf(tokenizer, prompt, most, indivisible !== undefined);
  if (!parts) return run(encodeTexts(tokenizer, prompt, prompt.texts, prompt.long === 'refuse' ? Infinity : most), [], settings.options);

  if (indivisible && parts.some(({ length }) => length > 1)) {
    const message =
      `${indivisible}: a text has more than the ${most} tokens that the model takes at once; with ${indivisible} it must be shorter`;
    throw invalidArgument(message, { option: indivisible });
  }
  options.numReturnSequences ??= 1;
  const joined = new JoinedParts(prompt.texts, parts, options.numReturnSequences);
  const texts = parts.flatMap((list) => list.map(({ text }) => text));
  const emit = (items: GenerationItem[]): void => context.emit({ kind: 'items', items });
  emit(joined.begin());
  const result = await run(encodeTexts(tokenizer, prompt, texts, most), [], JSON.stringify(options), (event) => {
    if (event.kind === 'items') emit(joined.take(event.items));
    else context.emit(event);
  });
  return joined.result(result);
}
