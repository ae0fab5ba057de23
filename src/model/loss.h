#pragma once
// Losses of the heads, as transformers' models return them when labels are given: means over what is not ignored.
// A backward writes factor times the gradient of its loss; it may take the place of what the loss was made from.

#include <cstdint>
#include <span>

#include "core/tensor.h"
#include "kernels/cross_entropy.h"

namespace webformer {

/// What the means of a batch's loss are multiplied by, where it is a part of a larger batch: the part's shares of what is counted.
struct LossShare {
  float labels = 1;     ///< of all labels
  float sentences = 1;  ///< of the labels of next sentences, which some models have beside others
};

/// The mean of the kernel's cross-entropy over rows whose label is not ignored; 0 where all are. logits: [N, V], labels: [N].
/// Throws invalid_argument for a label outside [0, V).
float mean_cross_entropy(ConstMatrix logits, std::span<const std::int32_t> labels, float label_smoothing = 0);
void mean_cross_entropy_backward(ConstMatrix logits, std::span<const std::int32_t> labels, float label_smoothing, float factor,
                                 Matrix dlogits);
/// mean (score - target)^2. Shapes are equal.
float mean_squared_error(ConstMatrix scores, std::span<const float> targets);
void mean_squared_error_backward(ConstMatrix scores, std::span<const float> targets, float factor, Matrix dscores);
/// mean of -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)). Shapes are equal.
float binary_cross_entropy(ConstMatrix logits, std::span<const float> targets);
void binary_cross_entropy_backward(ConstMatrix logits, std::span<const float> targets, float factor, Matrix dlogits);

}  // namespace webformer
