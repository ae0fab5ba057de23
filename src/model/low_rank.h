#pragma once
// LoRA (Hu et al. 2022): what a linear layer is taught beside its weights, which stay as they are, quantized or not.

#include <memory>

#include "kernels/weights.h"
#include "model/pass.h"

namespace webformer {

/// y += scale * B A x. Both are f32.
struct LowRank {
  std::shared_ptr<PackedWeights> down;  ///< A: [r, in]; one of several layers, where a checkpoint has them as one module
  std::shared_ptr<PackedWeights> up;    ///< B: [out, r]
  float scale = 1;

  /// Adds to y. A tape gets `lowered`, scale * A x.
  void forward(ConstMatrix x, Matrix y, Pass& pass) const;
  /// Adds to the gradients and to dx, which may be empty, where nobody asks for it.
  void backward(ConstMatrix x, ConstMatrix lowered, ConstMatrix dy, Matrix dx, Backward& back) const;
  /// out += row `index` of scale * B A. out: [in].
  void add_row(std::int64_t index, float* out) const;
};

}  // namespace webformer
