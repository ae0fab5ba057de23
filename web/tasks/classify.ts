// Texts, or pairs of texts, to labels; as transformers' TextClassificationPipeline.
import type { ClassifyOptions, LabelScore, ModelInfo, TextInput } from '../types.js';
import { ranked, sigmoid, softmax } from './scores.js';
import { mostTokens, rowOf, type TextModel } from './text-model.js';

type Activation = 'softmax' | 'sigmoid' | 'none';

/** What turns the logits into scores: what the caller wants, else what config.json says that the model was trained for. */
function activationOf({ config, labels }: Pick<ModelInfo, 'config' | 'labels'>, multiLabel: boolean | undefined): Activation {
  if (multiLabel !== undefined) return multiLabel ? 'sigmoid' : 'softmax';
  if (config['problem_type'] === 'regression') return 'none';
  return config['problem_type'] === 'multi_label_classification' || labels.length === 1 ? 'sigmoid' : 'softmax';
}

/** @param logits one a label */
function labelScores(logits: Float32Array, labels: readonly string[], activation: Activation): LabelScore[] {
  const scores = activation === 'softmax' ? softmax(logits) : Float64Array.from(logits, activation === 'sigmoid' ? sigmoid : Number);
  return labels.map((label, i) => ({ label, score: scores[i]! }));
}

export async function classify(
  model: TextModel,
  texts: readonly TextInput[],
  { topK = 1, multiLabel }: Omit<ClassifyOptions, 'signal'>,
): Promise<LabelScore[][]> {
  const { info, tokenizer } = model;
  const activation = activationOf(info, multiLabel);
  const encodings = tokenizer.encodeBatch(texts, { truncation: { maxLength: mostTokens(model) } });
  const result: LabelScore[][] = [];
  await model.run(encodings, 'all', (output, row, index) => {
    result[index] = ranked(labelScores(rowOf(output.logits!, row), info.labels, activation), topK ?? undefined);
  });
  return result;
}
