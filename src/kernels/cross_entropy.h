#pragma once
// Cross-entropy of rows of logits with a label each, as F.cross_entropy computes it.

#include <cstdint>

#include "core/tensor.h"

namespace webformer {

/// A row with this label takes no part.
inline constexpr std::int32_t ignored_label = -100;

struct CrossEntropy {
  double total = 0;          ///< the sum over the rows that count
  std::int64_t counted = 0;  ///< how many those are
};

/// (1 - a) (-log p_label) + a mean_j(-log p_j) over the rows whose label is not ignored, p = softmax(logits), a the label smoothing
/// (Szegedy et al. 2016). logits: [N, V], labels: [N], each ignored or in [0, V).
CrossEntropy cross_entropy(ConstMatrix logits, const std::int32_t* labels, float label_smoothing = 0) noexcept;
/// dlogits_j = factor (p_j - (1 - a) [j = label] - a / V), and 0 in ignored rows. dlogits may be logits.
void cross_entropy_backward(ConstMatrix logits, const std::int32_t* labels, float label_smoothing, float factor, Matrix dlogits) noexcept;

}  // namespace webformer
