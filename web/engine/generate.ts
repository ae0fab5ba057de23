// Text or ids in, text out.
import { invalidArgument } from '../errors.js';
import type { Instance } from '../instance.js';
import type { GenerationPrompt, GenerationSettings, RequestContext } from '../protocol.js';
import type { GenerationResult } from '../types.js';
import { mostTokens } from './embed.js';
import type { Checkpoint } from './load.js';
import { finish } from './jobs.js';

function toIds(checkpoint: Checkpoint, prompt: GenerationPrompt): { ids: Int32Array[]; decoderIds: Int32Array[] } {
  if (prompt.kind === 'ids') return prompt;
  if (!checkpoint.tokenizers) throw invalidArgument('generate: this model has no tokenizer, so that it takes ids only');
  const { source } = checkpoint.tokenizers;
  const truncation = prompt.cut ? { maxLength: mostTokens(checkpoint, source) } : undefined;
  const encodings = source.encodeBatch(prompt.texts, { addSpecialTokens: prompt.addSpecialTokens, truncation });
  return { ids: encodings.map(({ ids }) => Int32Array.from(ids)), decoderIds: [] };
}

/** What an absent seed is drawn from: 53 bits. */
function entropy(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];
  return (high >>> 11) * 2 ** 32 + low;
}

export function generate(
  instance: Instance, checkpoint: Checkpoint, prompt: GenerationPrompt, settings: GenerationSettings, context: RequestContext,
): Promise<GenerationResult> {
  const { ids, decoderIds } = toIds(checkpoint, prompt);
  const job = instance.call(() => checkpoint.model.generate(ids, decoderIds, settings.task, settings.options, entropy()));
  return finish(instance, job, context);
}
