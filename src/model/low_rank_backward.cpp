#include "kernels/elementwise.h"
#include "model/low_rank.h"

namespace webformer {

void LowRank::backward(ConstMatrix x, ConstMatrix lowered, ConstMatrix dy, Matrix dx, Backward& back) const {
  Scope scope(back.workspace);
  if (PackedWeights* gradient = back.gradients.of(*up)) linear_backward_weights(lowered, dy, *gradient, back.workspace);
  const Matrix dlowered = back.zeros(lowered.rows, lowered.cols);
  linear_backward_input(dy, *up, dlowered, back.workspace);
  webformer::scale(dlowered, scale);
  if (PackedWeights* gradient = back.gradients.of(*down)) linear_backward_weights(x, dlowered, *gradient, back.workspace);
  if (dx.data) linear_backward_input(dlowered, *down, dx, back.workspace);
}

}  // namespace webformer
