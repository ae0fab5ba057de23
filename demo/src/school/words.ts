// Step: words. From a place in a list to a vector whose neighbours mean something.
import { cosineSimilarity } from 'webformer';
import { createExercise } from './exercise';
import { formula, lessonOf, prose, type Lesson } from './lesson';
import { createWordTraining } from './word-training';
import { createWordVectors } from './word-vectors';

export const wordsLesson = (): Lesson => lessonOf(
  prose('words.what'),
  formula('cos(a, b) = a · b / (|a| |b|)'),
  prose('words.why'),
  createWordVectors(),
  createWordTraining(),
  createExercise({ id: 'words.exercise', kind: 'number', answer: () => cosineSimilarity([1, 2], [2, 1]) }),
);
