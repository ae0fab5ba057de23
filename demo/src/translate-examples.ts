// Sentences to begin with, in each language that a model of the page translates from.
const ENGLISH = [
  'Do you remember what he said yesterday?',
  'I have never seen such a beautiful garden.',
  "If it rains tomorrow, I'll stay at home.",
  'My brother works in a bank. He gets up early every day, but he never goes to bed before midnight. I don\'t know how he does it.',
];
const FRENCH = [
  'Où se trouve la gare ?',
  "Je n'ai jamais vu un si beau jardin.",
  "S'il pleut demain, je resterai à la maison.",
  'Mon frère travaille dans une banque. Il se lève tôt tous les jours, mais il ne se couche jamais avant minuit. Je ne sais pas comment '
    + 'il fait.',
];

/** In the language that is translated from; in English, where there are none or it is not known. */
export const examplesIn = (language: string): readonly string[] => (language === 'fr' ? FRENCH : ENGLISH);
