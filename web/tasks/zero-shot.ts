// Labels that the model was not trained for: does the text entail "This example is …"? As transformers' ZeroShotClassificationPipeline;
// the idea is that of Yin, Hay, Roth (2019), "Benchmarking Zero-shot Text Classification".
import type { LabelScore, ZeroShotOptions } from '../types.js';
import { ranked, softmax } from './scores.js';
import { mostTokens, rowOf, type TextModel } from './text-model.js';

const DEFAULT_TEMPLATE = 'This example is {}.';

/** @param logits of each label's hypothesis, over the labels of inference @param entailment the index of entailment there */
function entailmentScores(logits: readonly Float32Array[], entailment: number, multiLabel: boolean): ArrayLike<number> {
  if (!multiLabel && logits.length > 1) return softmax(logits.map((row) => row[entailment]!));
  return logits.map((row) => softmax([row.at(entailment === 0 ? -1 : 0)!, row[entailment]!])[1]!);
}

export async function zeroShot(
  model: TextModel,
  text: string,
  labels: readonly string[],
  { template = DEFAULT_TEMPLATE, multiLabel = false }: Omit<ZeroShotOptions, 'signal'>,
): Promise<LabelScore[]> {
  const hypotheses = labels.map((label) => ({ text, pair: template.replaceAll('{}', () => label) }));
  const truncation = { maxLength: mostTokens(model), strategy: 'only_first' as const };
  const logits: Float32Array[] = [];
  await model.run(model.tokenizer.encodeBatch(hypotheses, { truncation }), 'all', (output, row, index) => {
    logits[index] = rowOf(output.logits!, row);
  });
  const entailment = model.info.labels.findIndex((label) => label.toLowerCase().startsWith('entail'));
  const scores = entailmentScores(logits, entailment, multiLabel);
  return ranked(labels.map((label, i) => ({ label, score: scores[i]! })));
}
