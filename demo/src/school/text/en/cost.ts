export const cost = {
  'cost.what': 'Every token looks at every other, so n tokens make n² scores in each head: twice the length, four times the scores. A '
    + 'recurrent network would need n steps, one after the other; attention has them all at once, and any two tokens are one step apart.',
  'cost.cached': 'When text is written token by token, the keys and values of the tokens before do not change. They are kept: the cache. '
    + 'Then one more token costs one row of scores instead of all. And scores need not be kept: softmax can be taken tile by tile, with '
    + 'a running maximum and sum (flash attention). The weights are the same, the memory does not grow.',
  'cost.operations': 'Operations for one more token',
  'cost.operations.lead': 'Multiplications and additions of the tale teller, by its sizes, in millions.',
  'cost.tokens': 'Tokens',
  'cost.millions': 'Million operations',
  'cost.without': 'whole text again',
  'cost.with': 'with the cache',
  'cost.memory': 'Memory',
  'cost.memory.lead': 'Of the tale teller in f32, in kB: all scores of a layer, a tile of 64 × 64 a head, and the cache of all layers.',
  'cost.scores': 'all scores',
  'cost.tile': 'one tile a head',
  'cost.cache': 'cache of keys and values',
  'cost.here': 'Measured on this machine',
  'cost.here.lead': 'The tale teller reads the whole text for one more token, or goes on from its cache. Milliseconds, the median of '
    + 'three.',
  'cost.measure': 'Measure',
  'cost.stop': 'Stop',
  'cost.whole': 'Whole text, ms',
  'cost.step': 'With the cache, ms',
  'cost.ratio': 'Ratio',
  'cost.exercise.question': 'The tale teller has {layers} layers of width {width}, and keeps a key and a value of that width in each. '
    + 'How many numbers does its cache keep for one token?',
  'cost.exercise.right': 'Layers × 2 × width. Grouped-query attention makes it smaller: several heads share a key and a value.',
  'cost.exercise.wrong': 'In each layer it keeps two vectors for the token.',
};
