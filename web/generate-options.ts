// GenerateOptions and prompts as callers give them. WebAssembly checks ranges; here is what JSON would lose on the way there.
import { invalidArgument } from './errors.js';
import { toPrompts } from './forward-inputs.js';
import { checkOptions, checkSignal, checkText, describe } from './options.js';
import type { GenerationPrompt } from './protocol.js';
import type { ForwardInputs, GenerateOptions, Ids } from './types.js';
import { isSingle, toInt32, toJson } from './values.js';

const OPTIONS = [
  'maxNewTokens',
  'maxLength',
  'minNewTokens',
  'minLength',
  'doSample',
  'temperature',
  'topK',
  'topP',
  'minP',
  'typicalP',
  'seed',
  'repetitionPenalty',
  'noRepeatNgramSize',
  'badWordsIds',
  'renormalizeLogits',
  'numBeams',
  'lengthPenalty',
  'earlyStopping',
  'numReturnSequences',
  'bosTokenId',
  'eosTokenId',
  'padTokenId',
  'decoderStartTokenId',
  'forcedBosTokenId',
  'forcedEosTokenId',
  'stop',
  'attentions',
  'returnScores',
  'returnBeams',
  'topCandidates',
  'signal',
] as const satisfies readonly (keyof GenerateOptions)[];

/** NaN would become null, a bigint would throw, and functions would vanish. */
function checkPlain(name: string, value: unknown): void {
  if (value instanceof Int32Array) return;
  if (Array.isArray(value)) return value.forEach((item, i) => checkPlain(`${name}[${i}]`, item));
  if (typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' || typeof value === 'boolean') return;
  const expected = typeof value === 'number' ? 'a finite number' : 'a number, true or false, a text, or a list';
  throw invalidArgument(`${name}: ${describe(value)} found, ${expected} expected`, { option: name });
}

/** The options as JSON, without the signal. */
export function toGenerationJson(owner: string, given: GenerateOptions, others: readonly string[] = []): string {
  checkOptions(owner, given, [...OPTIONS, ...others]);
  const { signal, ...options } = given;
  checkSignal('signal', signal);
  const named = Object.entries(options).filter(([name, value]) => value !== undefined && !others.includes(name));
  for (const [name, value] of named) checkPlain(name, value);
  return toJson(Object.fromEntries(named));
}

/** A text as a list of one. */
export function toTexts(name: string, texts: string | readonly string[]): string[] {
  if (typeof texts === 'string') return [texts];
  if (!Array.isArray(texts) || texts.length === 0)
    throw invalidArgument(
      `${name}: ${describe(texts)}${Array.isArray(texts) ? ' without items' : ''} found, a text or a list of texts expected`,
    );
  texts.forEach((text, i) => checkText(`${name}[${i}]`, text));
  return [...texts];
}

export function toPrompt(prompt: string | readonly string[] | Ids | readonly Ids[] | ForwardInputs): GenerationPrompt {
  if (typeof prompt === 'string') return { kind: 'texts', texts: [prompt], addSpecialTokens: true, long: 'refuse' };
  if (prompt instanceof Int32Array) return { kind: 'ids', ids: [toInt32('prompt', prompt)], decoderIds: [] };
  if (!Array.isArray(prompt)) {
    if (typeof prompt === 'object' && prompt !== null) return { kind: 'ids', ...toPrompts(prompt as ForwardInputs) };
    throw invalidArgument(`prompt: ${describe(prompt)} found, a text, ids, lists of them, or { inputIds } expected`);
  }
  if (prompt.length === 0 || typeof prompt[0] === 'string')
    return { kind: 'texts', texts: toTexts('prompt', prompt as readonly unknown[] as string[]), addSpecialTokens: true, long: 'refuse' };
  if (isSingle(prompt)) return { kind: 'ids', ids: [toInt32('prompt', prompt)], decoderIds: [] };
  return { kind: 'ids', ids: (prompt as readonly Ids[]).map((ids, i) => toInt32(`prompt[${i}]`, ids)), decoderIds: [] };
}
