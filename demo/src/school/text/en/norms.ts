export const norms = {
  'norms.what': 'Each part of a block adds to the vector, so it would grow from layer to layer. A norm brings each token’s vector back '
    + 'to one scale, by itself: no other token and no other sentence of the batch has a say, unlike in batch norm.',
  'norms.why': 'LayerNorm takes the mean away and divides by the deviation. RMSNorm only divides by the root mean square: LLaMA, Qwen '
    + 'and Gemma do without the mean, which costs less and works as well. γ and β are learned, and let the layer choose another scale.',
  'norms.figure': 'On your own vector',
  'norms.figure.lead': 'Multiply the vector, or add to it: LayerNorm minds neither, RMSNorm minds what is added.',
  'norms.vector': 'Vector',
  'norms.error': 'Write up to {n} numbers, parted by spaces: 3 −1 0.5',
  'norms.times': 'Multiply by',
  'norms.plus': 'Add',
  'norms.gain': 'γ',
  'norms.shift': 'β',
  'norms.mean': 'Mean',
  'norms.deviation': 'Deviation',
  'norms.rms': 'Root mean square',
  'norms.exercise.question': 'LayerNorm, with γ = 1 and β = 0, is given the vector (1, 5). What is its first number, rounded?',
  'norms.exercise.right': 'The mean is 3, the deviation 2: (1 − 3) / 2.',
  'norms.exercise.wrong': 'Put the vector 1 5 into the figure above.',
};
