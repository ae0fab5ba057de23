#include "kernels/blocked_product.h"
#include "kernels/formats.h"

namespace webformer {

void linear(ConstMatrix x, const PackedWeights& weights, const float* bias, Matrix y, Workspace& workspace) {
  with_format<Floats>(weights.type(), [&](auto format) {
    multiply_blocks<decltype(format)>(x, {weights.data(), weights.rows(), weights.cols()}, bias, y, false, workspace);
  });
}

}  // namespace webformer
