#include <cmath>

#include "kernels/elementwise.h"
#include "kernels/simd.h"

namespace webformer {

namespace {

template <class F>
void layer_norm_row(std::int64_t size, const float* x, const float* weight, const float* bias, float epsilon, EpsilonPlace place,
                    float* y) {
  const float mean = sum_row<F>(size, x, 0, [](F v) { return v; }) / float(size);
  const auto deviation = [m = F(mean)](F v) { return v - m; };
  const float variance = sum_row<F>(size, x, mean, [=](F v) { return deviation(v) * deviation(v); }) / float(size);
  const F factor(1 / (place == EpsilonPlace::variance ? std::sqrt(variance + epsilon) : std::sqrt(variance) + epsilon));
  const auto normalized = [=](F v) { return deviation(v) * factor; };
  if (weight && bias) {
    map_row<F>(size, y, [=](F v, F w, F b) { return multiply_add(normalized(v), w, b); }, x, weight, bias);
  } else if (weight) {
    map_row<F>(size, y, [=](F v, F w) { return normalized(v) * w; }, x, weight);
  } else if (bias) {
    map_row<F>(size, y, [=](F v, F b) { return normalized(v) + b; }, x, bias);
  } else {
    map_row<F>(size, y, normalized, x);
  }
}

template <class F>
void rms_norm_row(std::int64_t size, const float* x, const float* weight, float offset, float epsilon, float* y) {
  const float square = sum_row<F>(size, x, 0, [](F v) { return v * v; }) / float(size);
  const F factor(1 / std::sqrt(square + epsilon));
  if (weight) {
    map_row<F>(size, y, [=, o = F(offset)](F v, F w) { return v * factor * (o + w); }, x, weight);
  } else {
    map_row<F>(size, y, [=](F v) { return v * factor; }, x);
  }
}

}  // namespace

void layer_norm(ConstMatrix x, const float* weight, const float* bias, float epsilon, Matrix y, EpsilonPlace place) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) layer_norm_row<Floats>(x.cols, x.row(i), weight, bias, epsilon, place, y.row(i));
}

void rms_norm(ConstMatrix x, const float* weight, float offset, float epsilon, Matrix y) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) rms_norm_row<Floats>(x.cols, x.row(i), weight, offset, epsilon, y.row(i));
}

}  // namespace webformer
