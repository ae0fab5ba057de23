export const scores = {
  'scores.what': 'A query asks, a key answers what it has to offer: their product q · k is the score. Softmax turns the scores of a row '
    + 'into weights that sum to 1, and the weights mix the values.',
  'scores.why': 'A product sums as many terms as a head has numbers. If these are independent with mean 0 and variance 1, each term has '
    + 'variance 1, so the sum has variance d: the larger the heads, the larger the scores. Dividing by √d brings the variance back to 1.',
  'scores.variance': 'The variance of q · k grows with the size of a head',
  'scores.variance.lead': 'Measured: 64 random queries times 64 random keys for each size, both axes in powers.',
  'scores.varianceOf': 'Variance',
  'scores.size': 'Head size d',
  'scores.off': 'q · k',
  'scores.on': 'q · k / √d',
  'scores.softmax': 'What softmax makes of it',
  'scores.softmax.lead': 'One random query over twelve random keys. Large scores make one weight take all. Then softmax is flat: a '
    + 'weight p moves by p (1 − p) when its score does, so nothing is left of the gradient, and nothing is learned.',
  'scores.scale': 'divide by √d',
  'scores.again': 'Draw another',
  'scores.measures': 'entropy {entropy} of at most {most} bits · largest weight {top} · largest p (1 − p) {slope}',
  'scores.sentence': 'The scale on your sentence',
  'scores.sentence.lead': 'The first layer of the tale teller, with its own queries and keys. It uses 1/√48 = 0.144; see what another '
    + 'scale would do. The figures below are those of the last row.',
  'scores.times': 'Scale',
  'scores.scaled': '{factor}/√d = {scale}',
  'scores.cell': '“{query}” looks at “{key}”: {weight}',
  'scores.exercise.question': 'The numbers of queries and keys are independent, with mean 0 and variance 1. A head has size 64. What is '
    + 'the standard deviation of q · k, before the scale?',
  'scores.exercise.right': 'The variance is 64, its root 8: by that the scores are divided.',
  'scores.exercise.wrong': 'The plot shows the variance at 64. The deviation is its root.',
};
