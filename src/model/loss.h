#pragma once
// Losses of the heads, as transformers' models return them when labels are given: means over what is not ignored.

#include <cstdint>
#include <span>

#include "core/tensor.h"
#include "kernels/cross_entropy.h"

namespace webformer {

/// -mean log softmax(logits)[label] over rows whose label is not ignored; 0 where all are. logits: [N, V], labels: [N].
/// Throws invalid_argument for a label outside [0, V).
float cross_entropy(ConstMatrix logits, std::span<const std::int32_t> labels);
/// mean (score - target)^2. Shapes are equal.
float mean_squared_error(ConstMatrix scores, std::span<const float> targets);
/// mean of -t log sigmoid(x) - (1 - t) log(1 - sigmoid(x)). Shapes are equal.
float binary_cross_entropy(ConstMatrix logits, std::span<const float> targets);

}  // namespace webformer
