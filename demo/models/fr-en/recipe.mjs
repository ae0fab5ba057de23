// French to English, on Tatoeba.
import { tatoebaPairs } from '../recipes/corpora.mjs';
import { translatorRecipe } from '../recipes/translator.mjs';

export const recipe = translatorRecipe({
  about: 'translates everyday French into English',
  minutes: 55,
  pairs: (side) => tatoebaPairs(side).map(({ english, french }) => ({ source: french, target: english })),
  vocabSize: 4000,
  size: { width: 192, heads: 4, inner: 768, encoderLayers: 4, decoderLayers: 2 },
  steps: 4800,
  options: { 'batch-tokens': 2048, 'learning-rate': 1.2e-3, dropout: 0.1 },
});
