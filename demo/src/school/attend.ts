// Step: attention. Queries, keys and values, and why there are several heads.
import { createLayer } from 'webformer';
import { createAttentionFigure } from './attention-figure';
import { createExercise } from './exercise';
import { formula, lessonOf, otherTab, prose, type Lesson } from './lesson';

/** Weights of a multi-head attention of that width, without biases. */
async function weightsOf(width: number, heads: number): Promise<number> {
  const layer = await createLayer('multiHeadAttention', { embed_dim: width, num_heads: heads, bias: false });
  const count = [...layer.weights.values()].reduce((sum, { data }) => sum + data.length, 0);
  layer.dispose();
  return count;
}

export const attendLesson = (): Lesson => lessonOf(
  prose('attend.what', 'attend.why'),
  formula('Q = X W_Q,    K = X W_K,    V = X W_V,    head = softmax(Q K^T / √d) V'),
  createAttentionFigure(),
  prose('attend.heads', 'attend.three'),
  otherTab('attention', 'attend.more'),
  createExercise({ id: 'attend.exercise', kind: 'number', digits: 0, within: 0, answer: () => weightsOf(64, 8) }),
);
