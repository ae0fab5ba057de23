// Step: tokens. What a model reads instead of letters or words.
import { trainTokenizer } from 'webformer';
import { createExercise } from './exercise';
import { lessonOf, otherTab, prose, type Lesson } from './lesson';
import { createTokenFigure } from './token-figure';

/** Which pair byte-pair encoding joins first in the textbook's four words; its options are in this order. */
const PAIRS = ['l o', 'e r', 's t'];
async function firstMerge(): Promise<number> {
  const tokenizer = await trainTokenizer('bpe', ['lowest lower newer wider'], { vocabSize: 14 });
  const [[left, right]] = (JSON.parse(tokenizer.save()) as { model: { merges: [string, string][] } }).model.merges;
  return PAIRS.indexOf(`${left} ${right}`);
}

export const tokensLesson = (): Lesson => lessonOf(
  prose('tokens.what', 'tokens.kinds'),
  createTokenFigure(),
  otherTab('tokenize', 'tokens.more'),
  createExercise({ id: 'tokens.exercise', kind: 'choice', options: PAIRS.length, answer: firstMerge }),
);
