#include "model/loss.h"

#include <algorithm>
#include <cmath>

namespace webformer {

float cross_entropy(ConstMatrix logits, std::span<const std::int32_t> labels) {
  double total = 0;
  std::int64_t counted = 0;
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    const std::int32_t label = labels[std::size_t(i)];
    if (label == ignored_label) continue;
    if (label < 0 || label >= logits.cols)
      throw Error(Code::invalid_argument, "label {}: -100 or 0 to {} expected", label, logits.cols - 1);
    const float* row = logits.row(i);
    const double highest = *std::max_element(row, row + logits.cols);
    double sum = 0;
    for (std::int64_t j = 0; j < logits.cols; ++j) sum += std::exp(row[j] - highest);
    total += highest + std::log(sum) - row[label];
    ++counted;
  }
  return counted ? float(total / double(counted)) : 0;
}

float mean_squared_error(ConstMatrix scores, std::span<const float> targets) {
  double total = 0;
  for (std::int64_t i = 0; i < scores.rows * scores.cols; ++i) {
    const double difference = double(scores.at(i / scores.cols, i % scores.cols)) - targets[std::size_t(i)];
    total += difference * difference;
  }
  return targets.empty() ? 0 : float(total / double(targets.size()));
}

float binary_cross_entropy(ConstMatrix logits, std::span<const float> targets) {
  double total = 0;
  for (std::int64_t i = 0; i < logits.rows * logits.cols; ++i) {
    const double x = logits.at(i / logits.cols, i % logits.cols), t = targets[std::size_t(i)];
    total += std::max(x, 0.0) - x * t + std::log1p(std::exp(-std::abs(x)));
  }
  return targets.empty() ? 0 : float(total / double(targets.size()));
}

}  // namespace webformer
