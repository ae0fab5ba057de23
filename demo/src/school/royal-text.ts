// A small text in which words are known by their company: who wears a crown, who has a beard, who goes to school.

const SAID = {
  royal: ['wears a crown', 'lives in the castle', 'rules the land', 'sits on the throne'],
  common: ['works in the field', 'lives in the village', 'walks to the market', 'bakes the bread'],
  male: ['he has a beard', 'he is called sir', 'he is a brother'],
  female: ['she has long hair', 'she is called lady', 'she is a sister'],
  adult: ['is old and wise', 'has children'],
  young: ['is young and plays', 'goes to school'],
} as const;
type Trait = keyof typeof SAID;

const WHO: Record<string, readonly Trait[]> = {
  king: ['royal', 'male', 'adult'], queen: ['royal', 'female', 'adult'],
  prince: ['royal', 'male', 'young'], princess: ['royal', 'female', 'young'],
  man: ['common', 'male', 'adult'], woman: ['common', 'female', 'adult'],
  boy: ['common', 'male', 'young'], girl: ['common', 'female', 'young'],
};

export const ROYAL_TEXT = Object.entries(WHO).map(([who, traits]) =>
  `${traits.flatMap((trait) => SAID[trait].map((what) => `the ${who} ${what}`)).join('. ')}.`).join('\n');
