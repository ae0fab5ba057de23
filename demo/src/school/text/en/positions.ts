export const positions = {
  'positions.why': 'Attention compares each token with each other token and forgets where they stood: “dog bites man” and “man bites '
    + 'dog” would be the same bag of words. So something has to tell the model the place of every token.',
  'positions.ways': 'There are two families. Absolute ones add a vector to each embedding: fixed waves of several speeds, like the hands '
    + 'of a clock (sinusoidal), or a table that is learned. Relative ones touch the attention itself: RoPE turns queries and keys, ALiBi '
    + 'and T5 add a number to each score that depends on the distance alone.',
  'positions.relative': 'RoPE uses the same turning, but on queries and keys: the product of two vectors that were turned by p and by s '
    + 'depends on p − s only. ALiBi takes away more from a score the farther the key is, with a slope of its own in each head. T5 sorts '
    + 'distances into buckets, one for each small distance and ever wider ones for large, and learns a number for each.',
  'positions.picture': 'The tables, as pictures',
  'positions.kind': 'Kind',
  'positions.kind.none': 'no position',
  'positions.kind.sinusoidal': 'sinusoidal',
  'positions.kind.learned': 'learned',
  'positions.kind.rope': 'RoPE',
  'positions.kind.alibi': 'ALiBi',
  'positions.kind.t5': 'T5 buckets',
  'positions.length': 'Positions',
  'positions.width': 'Width',
  'positions.head': 'Head',
  'positions.about.sinusoidal': 'A row is a position, a column one number of the vector that is added to the embedding there. On the '
    + 'left the waves are fast, on the right slow.',
  'positions.about.learned': 'A row is a position. These numbers were learned by the model {model}.',
  'positions.about.untrained': 'A row is a position. No loaded model has such a table, so this is one before training: noise. BERT and '
    + 'GPT-2 learn theirs; drop such a model on this page to see it. It has no row for a position beyond its last.',
  'positions.about.rope': 'A row is a position. Columns come in pairs, cosine and sine of the angle by which that pair of numbers turns.',
  'positions.about.alibi': 'A row is the query, a column the key: what is added to their score.',
  'positions.about.t5': 'A row is the query, a column the key: the number of the bucket that their distance falls into. Keys before and '
    + 'after the query have buckets of their own.',
  'positions.cell.sinusoidal': 'Position {row}, number {column}: {value}',
  'positions.cell.learned': 'Position {row}, number {column}: {value}',
  'positions.cell.rope': 'Position {row}, pair {half}: {value}',
  'positions.cell.alibi': 'Query {row}, key {column}: {value} is added',
  'positions.cell.t5': 'Query {row}, key {column}: bucket {value}',
  'positions.scores': 'What they do to your sentence',
  'positions.scores.lead': 'Queries and keys of the first layer of the tale teller, from your tokens. A row looks at the columns, only '
    + 'back.',
  'positions.strength': 'Strength',
  'positions.view': 'Show',
  'positions.view.weights': 'weights after softmax',
  'positions.view.scores': 'scores before softmax',
  'positions.view.change': 'change of the weights',
  'positions.does.none': 'Without positions, the same word has the same score wherever it stands.',
  'positions.does.sinusoidal': 'The table is added to the embeddings before the layer makes queries and keys of them. This model never '
    + 'learned to read it, so expect no sense, only change.',
  'positions.does.rope': 'Queries and keys are turned by their positions. This is what the model was trained with: the weights are those '
    + 'of its own first layer.',
  'positions.does.alibi': 'Each score loses the slope of this head times the distance: near keys win.',
  'positions.does.t5': 'A T5 learns a number for each bucket and head. None of the models here is one, so you set them: −strength · ln(1 '
    + '+ least distance of the bucket).',
  'positions.told': '“{query}” looks at “{key}”: score {score}, weight {weight}; without positions {plain}.',
  'positions.hidden': '“{query}” cannot see “{key}”, which comes later.',
  'positions.cut': 'Only the first {n} tokens are shown.',
  'rotation.title': 'A shift is a rotation',
  'rotation.lead': 'Each pair of the sinusoidal table is a hand on a clock. To go k positions on, it turns by k · ω, from wherever it '
    + 'is: one matrix M(k) for all positions. So a model can ask for “three places back” with a linear map.',
  'rotation.pair': 'Columns',
  'rotation.position': 'Position p',
  'rotation.by': 'Shift k',
  'rotation.told': 'M({k}) = [[{cos}, {sin}], [{less}, {cos}]]: it turns by k · ω = {k} · {omega} = {angle}, which is {degrees}°.',
  'positions.exercise.question': 'A model has 4 heads with ALiBi. The slope of head h is 2⁻²ʰ. What does head 2 add to the score of a '
    + 'key that is three places back?',
  'positions.exercise.right': 'The slope of head 2 is 2⁻⁴ = 0.0625, three times that is taken away.',
  'positions.exercise.wrong': 'Choose ALiBi and head 2 above, and look at query 3, key 0.',
};
