// The small models that programs of this folder use: the page's own, and tiny ones with weights drawn at random.
import path from 'node:path';
import { answerer, classifier, tagger } from '../fixtures/make_encoders.mjs';
import { bert, summarizer } from '../fixtures/make_models.mjs';

const EMBEDDED = path.join(import.meta.dirname, '../../demo/models');

export const MODELS = {
  'en-fr': path.join(EMBEDDED, 'en-fr'),
  tales: path.join(EMBEDDED, 'tales'),
  bert: bert(),
  sentiment: classifier(['NEGATIVE', 'POSITIVE']),
  tags: tagger(['O', 'B-ANIMAL', 'I-ANIMAL'], {
    fox: [0.1, 0.8, 0.1], mouse: [0.1, 0.8, 0.1], the: [0.8, 0.1, 0.1], saw: [0.9, 0.05, 0.05],
  }),
  answers: answerer({ fox: [9, 9] }),
  summaries: summarizer(),
};

/** What loads one of them. */
export function sourceOf(name) {
  if (!Object.hasOwn(MODELS, name)) throw new Error(`no model '${name}' among ${Object.keys(MODELS).join(', ')}`);
  return MODELS[name];
}
