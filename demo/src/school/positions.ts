// Step: positions. Attention alone takes a sentence for a bag of words.
import { positionalEncoding } from 'webformer';
import { createExercise } from './exercise';
import { formula, lessonOf, prose, type Lesson } from './lesson';
import { createPositionPicture } from './position-picture';
import { createPositionScores } from './position-scores';
import { createRotation } from './rotation';

/** What ALiBi adds in head 2 of 4 for a key three places back. */
async function alibiAnswer(): Promise<number> {
  const { data } = await positionalEncoding('alibi', { length: 4, heads: 4 });
  return data[16 + 3 * 4];
}

export const positionsLesson = (): Lesson => lessonOf(
  prose('positions.why', 'positions.ways'),
  formula('PE(p, 2i) = sin(p · ω_i),    PE(p, 2i+1) = cos(p · ω_i),    ω_i = 10000^(−2i/d)'),
  createPositionPicture(),
  createRotation(),
  prose('positions.relative'),
  createPositionScores(),
  createExercise({ id: 'positions.exercise', kind: 'number', digits: 4, answer: alibiAnswer }),
);
