// Whether one text goes on from another: BERT's second task (Devlin et al. 2018, section 3.1).
import { softmax } from './scores.js';
import { mostTokens, rowOf, type TextModel } from './text-model.js';

export async function nextSentence(model: TextModel, first: string, second: string): Promise<{ isNext: number }> {
  const encoding = model.tokenizer.encode(first, { pair: second, truncation: { maxLength: mostTokens(model) } });
  let isNext = 0;
  await model.run([encoding], 'none', (output, row) => {
    isNext = softmax(rowOf(output.nextSentenceLogits!, row))[0]!;
  });
  return { isNext };
}
