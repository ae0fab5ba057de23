// Text or ids in, text out.
import { invalidArgument } from '../errors.js';
import type { Instance } from '../instance.js';
import type { GenerationPrompt, GenerationSettings, RequestContext, TextPrompt } from '../protocol.js';
import { JoinedParts } from '../tasks/joined-parts.js';
import { splitLongText, type Part } from '../tasks/long-texts.js';
import { mostTokens } from '../tasks/text-model.js';
import type { BoundTokenizer } from '../tokenizer.js';
import type { GenerationResult } from '../types.js';
import type { Checkpoint } from './load.js';
import { finish } from './jobs.js';

/** What cannot be joined from the parts of a text. */
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

/** The parts of each text; null where no text has more than one. */
function partsOf(tokenizer: BoundTokenizer, prompt: TextPrompt, maxLength: number): Part[][] | null {
  if (prompt.long !== 'split' || maxLength === Infinity) return null;
  const count = (texts: readonly string[]): number[] => encodeTexts(tokenizer, prompt, texts, Infinity).map(({ length }) => length);
  const lengths = count(prompt.texts);
  if (lengths.every((length) => length <= maxLength)) return null;
  return prompt.texts.map((text, i) => (lengths[i]! <= maxLength ? [{ text, space: '' }] : splitLongText(text, maxLength, count)));
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
  const parts = partsOf(tokenizer, prompt, most);
  if (!parts) return run(encodeTexts(tokenizer, prompt, prompt.texts, prompt.long === 'refuse' ? Infinity : most), [], settings.options);

  const options = JSON.parse(settings.options) as Record<string, unknown> & { numReturnSequences?: number };
  const refused = OF_ONE_PART.find((name) => options[name] !== undefined && options[name] !== false);
  if (refused) {
    const message = `${refused}: a text has more than the ${most} tokens that the model takes at once; with ${refused} it must be shorter`;
    throw invalidArgument(message, { option: refused });
  }
  options.numReturnSequences ??= 1;
  const joined = new JoinedParts(parts, options.numReturnSequences);
  const texts = parts.flatMap((list) => list.map(({ text }) => text));
  const result = await run(encodeTexts(tokenizer, prompt, texts, most), [], JSON.stringify(options), (event) => {
    context.emit(event.kind === 'items' ? { kind: 'items', items: joined.take(event.items) } : event);
  });
  return joined.result(result);
}
