export const depth = {
  'depth.what': 'A part of a block does not replace its input, it adds to it: y = x + F(x). On the way back, the gradient passes the sum '
    + 'unchanged and gets that of F besides. However deep the stack, there is one way on which nothing is lost.',
  'depth.places': 'The norm may stand after the sum, as in the paper of 2017 (post-norm), or before the part (pre-norm), as in GPT-2 and '
    + 'nearly all since. Post-norm cuts the free way in every layer; pre-norm leaves it open from end to end.',
  'depth.gradient': 'The gradient at every layer',
  'depth.gradient.lead': 'Small blocks of width 8 with random weights, put together from attention, feed-forward and norm; the first '
    + 'numbers of your tokens’ embeddings go in. The gradient of one number at the end is taken by the input of each layer, by nudging '
    + 'each number a little up and down.',
  'depth.layers': 'Layers',
  'depth.layer': 'Layer',
  'depth.length': 'Length of the gradient',
  'depth.post': 'post-norm',
  'depth.pre': 'pre-norm',
  'depth.bare': 'norm, no residual',
  'depth.unnormed': 'no residual, no norm',
  'depth.see': 'On the right is the end, where the gradient starts; on the left the first layer, which has to learn from what arrives. '
    + 'Without residuals little does, and less with each layer more. That is why the optimizer of a post-norm model needs a slow '
    + 'warm-up, and why deep models are pre-norm.',
  'depth.exercise.question': 'Ten layers y = x + F(x), and F has the slope 0.1 in each. What is the slope of the whole stack?',
  'depth.exercise.right': 'Each layer has 1 + 0.1, ten of them 1.1¹⁰. Without the residual it would be 0.1¹⁰ = 0.0000000001.',
  'depth.exercise.wrong': 'Slopes of layers multiply. That of one layer is 1 + 0.1.',
};
