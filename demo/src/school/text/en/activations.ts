export const activations = {
  'activations.what': 'Attention moves information between tokens. The feed-forward layer then works on each token by itself, with the '
    + 'same weights at every position: it widens the vector, mostly fourfold, bends it by an activation, and brings it back.',
  'activations.why': 'Without the bend, two matrices would be one. ReLU cuts at zero. GELU and SiLU do so smoothly, and let a little of '
    + 'the negative through, so that a gradient is left there. Gated layers multiply the bent half by another linear: LLaMA’s SwiGLU, '
    + 'Gemma’s GeGLU.',
  'activations.curves': 'The curves',
  'activations.curves.lead': 'Each is a feed-forward layer of width 1 whose weights are 1, run on numbers from −4 to 4. Of the gated '
    + 'ones, x is the gate and u what it lets through.',
  'activations.up': 'u',
  'activations.slope': 'slope',
  'activations.output': 'output',
  'activations.exercise.question': 'SiLU(x) = x · σ(x). What is SiLU(1)? Three digits.',
  'activations.exercise.right': 'σ(1) = 1 / (1 + e⁻¹) = 0.731, times 1.',
  'activations.exercise.wrong': 'Point at x = 1 in the plot, or use its arrow keys.',
};
