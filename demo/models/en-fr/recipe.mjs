// English to French, on Tatoeba.
import { tatoebaPairs } from '../recipes/corpora.mjs';
import { translatorRecipe } from '../recipes/translator.mjs';

export const recipe = translatorRecipe({
  about: 'translates everyday English into French',
  minutes: 250,
  pairs: (side) => tatoebaPairs(side).map(({ english, french }) => ({ source: english, target: french })),
  vocabSize: 4000,
  size: { width: 192, heads: 4, inner: 768, encoderLayers: 4, decoderLayers: 2 },
  steps: 24_000,
  options: { 'batch-tokens': 2048, 'learning-rate': 1.2e-3, dropout: 0.1 },
});
