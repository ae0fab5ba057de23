#include "model/loss.h"

#include <algorithm>
#include <cmath>

namespace webformer {

namespace {

/// dx_i = factor / N * slope(x_i, t_i)
template <class Slope>
void mean_backward(ConstMatrix x, std::span<const float> targets, float factor, Matrix dx, Slope slope) {
  for (std::int64_t i = 0; i < x.rows * x.cols; ++i) {
    const double t = targets[std::size_t(i)], v = x.at(i / x.cols, i % x.cols);
    dx.at(i / x.cols, i % x.cols) = float(factor / double(targets.size()) * slope(v, t));
  }
}

}  // namespace

float mean_cross_entropy(ConstMatrix logits, std::span<const std::int32_t> labels, float label_smoothing) {
  for (const std::int32_t label : labels) {
    if (label != ignored_label && (label < 0 || label >= logits.cols))
      throw Error(Code::invalid_argument, "label {}: -100 or 0 to {} expected", label, logits.cols - 1);
  }
  const CrossEntropy loss = cross_entropy(logits, labels.data(), label_smoothing);
  return loss.counted ? float(loss.total / double(loss.counted)) : 0;
}

void mean_cross_entropy_backward(ConstMatrix logits, std::span<const std::int32_t> labels, float label_smoothing, float factor,
                                 Matrix dlogits) {
  const auto counted = labels.size() - std::size_t(std::ranges::count(labels, ignored_label));
  cross_entropy_backward(logits, labels.data(), label_smoothing, counted ? factor / float(counted) : 0, dlogits);
}

float mean_squared_error(ConstMatrix scores, std::span<const float> targets) {
  double total = 0;
  for (std::int64_t i = 0; i < scores.rows * scores.cols; ++i) {
    const double difference = double(scores.at(i / scores.cols, i % scores.cols)) - targets[std::size_t(i)];
    total += difference * difference;
  }
  return targets.empty() ? 0 : float(total / double(targets.size()));
}

void mean_squared_error_backward(ConstMatrix scores, std::span<const float> targets, float factor, Matrix dscores) {
  mean_backward(scores, targets, factor, dscores, [](double x, double t) { return 2 * (x - t); });
}

float binary_cross_entropy(ConstMatrix logits, std::span<const float> targets) {
  double total = 0;
  for (std::int64_t i = 0; i < logits.rows * logits.cols; ++i) {
    const double x = logits.at(i / logits.cols, i % logits.cols), t = targets[std::size_t(i)];
    total += std::max(x, 0.0) - x * t + std::log1p(std::exp(-std::abs(x)));
  }
  return targets.empty() ? 0 : float(total / double(targets.size()));
}

void binary_cross_entropy_backward(ConstMatrix logits, std::span<const float> targets, float factor, Matrix dlogits) {
  mean_backward(logits, targets, factor, dlogits, [](double x, double t) { return 1 / (1 + std::exp(-x)) - t; });
}

}  // namespace webformer
