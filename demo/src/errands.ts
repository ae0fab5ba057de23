// What the Understand tab does: its errands, each with the task of the API behind it and the models of the page that do it.
import type { Task } from 'webformer';

export interface Errand {
  readonly name: 'pos' | 'slots' | 'intents' | 'spam' | 'mask' | 'similar' | 'sentiment' | 'labels' | 'answer' | 'summary';
  readonly task: Task;
  /** Embedded models, the usual one first. Those of the user's that have the task join them. */
  readonly models: readonly string[];
  /** What the text is called. */
  readonly text: 'errand.text' | `errand.text.${'command' | 'message' | 'any' | 'like' | 'question'}`;
  /** What is read beside the text, if anything. */
  readonly second?: 'lines' | 'context' | 'labels';
  /** What to take where the page has no model for it. */
  readonly example?: string;
}

/** In the order of the page. */
export const ERRANDS: readonly Errand[] = [
  { name: 'pos', task: 'token-classification', models: ['pos-tags'], text: 'errand.text' },
  { name: 'slots', task: 'token-classification', models: ['slots'], text: 'errand.text.command' },
  { name: 'intents', task: 'text-classification', models: ['intents'], text: 'errand.text.command' },
  { name: 'spam', task: 'text-classification', models: ['spam'], text: 'errand.text.message' },
  { name: 'mask', task: 'fill-mask', models: ['fill-mask'], text: 'errand.text.any' },
  { name: 'similar', task: 'feature-extraction', models: ['tales', 'fill-mask'], text: 'errand.text.like', second: 'lines' },
  { name: 'sentiment', task: 'text-classification', models: [], text: 'errand.text.any',
    example: 'distilbert/distilbert-base-uncased-finetuned-sst-2-english' },
  { name: 'labels', task: 'zero-shot-classification', models: [], text: 'errand.text.any', second: 'labels',
    example: 'typeform/distilbert-base-uncased-mnli' },
  { name: 'answer', task: 'question-answering', models: [], text: 'errand.text.question', second: 'context',
    example: 'distilbert/distilbert-base-cased-distilled-squad' },
  { name: 'summary', task: 'summarization', models: [], text: 'errand.text.any', example: 'google-t5/t5-small' },
];

export const errandNamed = (name: string): Errand | undefined => ERRANDS.find((errand) => errand.name === name);

/** What a model that the user brought is for above all: of what the page's own models do not do, before what they do. */
export function errandOf(tasks: readonly Task[]): Errand | undefined {
  const able = ERRANDS.filter(({ task }) => tasks.includes(task));
  return able.find(({ task }) => task === 'zero-shot-classification') ?? able.find(({ models }) => models.length === 0)
    ?? able.find(({ name }) => name === 'slots') ?? able[0];
}
