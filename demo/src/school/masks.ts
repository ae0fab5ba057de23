// Step: masks. What a token may not see.
import { causalMask } from 'webformer';
import { createExercise } from './exercise';
import { createForcing } from './forcing';
import { lessonOf, prose, type Lesson } from './lesson';
import { createMaskFigure } from './mask-figure';

const LENGTH = 6;

export const masksLesson = (): Lesson => lessonOf(
  prose('masks.what', 'masks.three'),
  createMaskFigure(),
  createForcing(),
  createExercise({
    id: 'masks.exercise', kind: 'number', digits: 0, within: 0, values: () => ({ n: LENGTH }),
    answer: () => causalMask(LENGTH).data.reduce((sum, seen) => sum + seen, 0),
  }),
);
