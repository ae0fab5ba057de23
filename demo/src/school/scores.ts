// Step: scores. Why products of queries and keys are divided by the root of the head's size.
import { createExercise } from './exercise';
import { formula, lessonOf, prose, type Lesson } from './lesson';
import { createSentenceScale, createSoftmaxRow, createVariancePlot } from './score-figures';

export const scoresLesson = (): Lesson => lessonOf(
  prose('scores.what'),
  formula('Attention(Q, K, V) = softmax(Q K^T / √d) V'),
  prose('scores.why'),
  formula('Var(q·k) = Σ_i E[q_i^2] E[k_i^2] = d,    Var(q·k / √d) = 1'),
  createVariancePlot(),
  createSoftmaxRow(),
  createSentenceScale(),
  createExercise({ id: 'scores.exercise', kind: 'number', answer: () => Math.sqrt(64) }),
);
