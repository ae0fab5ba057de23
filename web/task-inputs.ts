// Inputs and options of the tasks as callers give them, checked; what the engine is asked with.
import { invalidArgument } from './errors.js';
import { toTexts } from './generate-options.js';
import { checkBoolean, checkChoice, checkCount, checkOptions, checkSignal, checkText, describe } from './options.js';
import type { RequestOf, Settings } from './protocol.js';
import { textAndPair } from './tokenizer.js';
import type { AnswerOptions, ClassifyOptions, EmbedOptions, FillMaskOptions, TagOptions, TextInput, ZeroShotOptions } from './types.js';

/** The options of a method without the signal, which stays on this thread. */
function settingsOf<O extends { signal?: AbortSignal }>(owner: string, options: O, known: readonly string[]): Settings<O> {
  checkOptions(owner, options, [...known, 'signal']);
  const { signal, ...settings } = options;
  checkSignal('signal', signal);
  return settings;
}

/** @param least how many there must be */
function toTextList(name: string, texts: unknown, least: number): string[] {
  if (!Array.isArray(texts)) throw invalidArgument(`${name}: ${describe(texts)} found, a list of texts expected`, { option: name });
  if (texts.length < least) throw invalidArgument(`${name}: ${texts.length} found, at least ${least} expected`, { option: name });
  texts.forEach((text, i) => checkText(`${name}[${i}]`, text));
  return [...(texts as string[])];
}

function checkFilled(name: string, value: unknown): asserts value is string {
  checkText(name, value);
  if (value.trim() === '') throw invalidArgument(`${name}: an empty text found, words expected`);
}

export function classifyRequest(texts: TextInput | readonly TextInput[], options: ClassifyOptions): RequestOf<'classify'> {
  const settings = settingsOf('classify', options, ['topK', 'multiLabel']);
  if (settings.topK !== null) checkCount('topK', settings.topK, 1);
  checkBoolean('multiLabel', settings.multiLabel);
  const list: readonly unknown[] = Array.isArray(texts) ? texts : [texts];
  if (list.length === 0) throw invalidArgument('texts: a list without items found, a text or a list of texts expected');
  const inputs = list.map((item, i) => {
    const [text, pair] = textAndPair(item, Array.isArray(texts) ? `texts[${i}]` : 'texts');
    return { text, pair };
  });
  return { kind: 'classify', texts: inputs, options: settings };
}

export function zeroShotRequest(text: string, labels: readonly string[], options: ZeroShotOptions): RequestOf<'zero-shot'> {
  const settings = settingsOf('zeroShot', options, ['template', 'multiLabel']);
  checkBoolean('multiLabel', settings.multiLabel);
  if (settings.template !== undefined) checkText('template', settings.template);
  if (settings.template?.includes('{}') === false)
    throw invalidArgument(`template: ${describe(settings.template)} found, a text with {} for the label expected`, { option: 'template' });
  checkText('text', text);
  return { kind: 'zero-shot', text, labels: toTextList('labels', labels, 1), options: settings };
}

export function tagTokensRequest(texts: string | readonly string[], options: TagOptions): RequestOf<'tag-tokens'> {
  const settings = settingsOf('tagTokens', options, ['aggregation', 'ignoreLabels']);
  checkChoice('aggregation', settings.aggregation, ['none', 'simple', 'first', 'max', 'average']);
  if (settings.ignoreLabels !== undefined) settings.ignoreLabels = toTextList('ignoreLabels', settings.ignoreLabels, 0);
  return { kind: 'tag-tokens', texts: toTexts('texts', texts), options: settings };
}

export function answerRequest(input: { question: string; context: string }, options: AnswerOptions): RequestOf<'answer'> {
  const settings = settingsOf('answer', options, ['topK', 'maxLength', 'stride', 'handleImpossible']);
  checkCount('topK', settings.topK, 1);
  checkCount('maxLength', settings.maxLength, 1);
  checkCount('stride', settings.stride);
  checkBoolean('handleImpossible', settings.handleImpossible);
  if (typeof input !== 'object' || input === null) throw invalidArgument(`input: ${describe(input)} found, { question, context } expected`);
  checkOptions('input', input, ['question', 'context']);
  checkFilled('question', input.question);
  checkFilled('context', input.context);
  return { kind: 'answer', question: input.question, context: input.context, options: settings };
}

export function fillMaskRequest(text: string, options: FillMaskOptions): RequestOf<'fill-mask'> {
  const settings = settingsOf('fillMask', options, ['topK', 'targets']);
  checkCount('topK', settings.topK, 1);
  if (settings.targets !== undefined) settings.targets = toTextList('targets', settings.targets, 1);
  checkText('text', text);
  return { kind: 'fill-mask', text, options: settings };
}

export function nextSentenceRequest(first: string, second: string, options: { signal?: AbortSignal }): RequestOf<'next-sentence'> {
  settingsOf('nextSentence', options, []);
  checkText('first', first);
  checkText('second', second);
  return { kind: 'next-sentence', first, second };
}

export function embedRequest(texts: string | readonly string[], options: EmbedOptions): RequestOf<'embed'> {
  const settings = settingsOf('embed', options, ['pooling', 'normalize']);
  checkChoice('pooling', settings.pooling, ['mean', 'cls', 'max', 'last']);
  checkBoolean('normalize', settings.normalize);
  return { kind: 'embed', texts: toTexts('texts', texts), options: settings };
}

/** `texts` may be an empty list. */
export function similarityTexts(query: string, texts: readonly string[], options: { signal?: AbortSignal }): string[] {
  settingsOf('similarity', options, []);
  checkText('query', query);
  return [query, ...toTextList('texts', texts, 0)];
}
