// Step: train. Everything of the steps before, learned from a few lines while the reader watches.
import { createExercise } from './exercise';
import { formula, lessonOf, prose, type Lesson } from './lesson';
import { createLab } from './lab-figure';

export const labLesson = (): Lesson => lessonOf(
  prose('lab.what'),
  formula('loss = −ln p(right),    θ ← θ − η · Adam(∂loss/∂θ)'),
  prose('lab.how'),
  createLab(),
  createExercise({ id: 'lab.exercise', kind: 'number', answer: () => Math.log(2) }),
);
