#include "kernels/cross_entropy.h"

#include <cmath>

#include "kernels/simd_math.h"

namespace webformer {

namespace {

/// sum_j exp(x_j - largest)
template <class F>
float sum_exponentials(std::int64_t size, const float* x, float largest) {
  return sum_row<F>(size, x, -std::numeric_limits<float>::infinity(), [l = F(largest)](F v) { return simd_exp(v - l); });
}

}  // namespace

CrossEntropy cross_entropy(ConstMatrix logits, const std::int32_t* labels, float label_smoothing) noexcept {
  using F = Floats;
  CrossEntropy result;
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    if (labels[i] == ignored_label) continue;
    const float* row = logits.row(i);
    const float largest = max_row<F>(logits.cols, row);
    // Differences from the largest logit lose no digits where all logits are large.
    const double log_sum = std::log(double(sum_exponentials<F>(logits.cols, row, largest)));
    double loss = log_sum - (double(row[labels[i]]) - largest);
    if (label_smoothing > 0) {
      const float differences = sum_row<F>(logits.cols, row, largest, [l = F(largest)](F v) { return v - l; });
      loss += label_smoothing * (log_sum - double(differences) / double(logits.cols) - loss);
    }
    result.total += loss;
    ++result.counted;
  }
  return result;
}

void cross_entropy_backward(ConstMatrix logits, const std::int32_t* labels, float label_smoothing, float factor, Matrix dlogits) noexcept {
  using F = Floats;
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    float* to = dlogits.row(i);
    if (labels[i] == ignored_label) {
      std::fill(to, to + dlogits.cols, 0.f);
      continue;
    }
    const float* row = logits.row(i);
    const float largest = max_row<F>(logits.cols, row);
    const F scale(factor / sum_exponentials<F>(logits.cols, row, largest)), smoothing(factor * label_smoothing / float(logits.cols));
    map_row<F>(logits.cols, to, [=, l = F(largest)](F v) { return simd_exp(v - l) * scale - smoothing; }, row);
    to[labels[i]] -= factor * (1 - label_smoothing);
  }
}

}  // namespace webformer
