#include <cmath>

#include "kernels/elementwise.h"
#include "kernels/simd.h"

namespace webformer {

namespace {

struct Moments {
  float mean, variance;
};

template <class F>
Moments moments(std::int64_t size, const float* x) {
  const float mean = sum_row<F>(size, x, 0, [](F v) { return v; }) / float(size);
  const auto deviation = [m = F(mean)](F v) { return v - m; };
  return {mean, sum_row<F>(size, x, mean, [=](F v) { return deviation(v) * deviation(v); }) / float(size)};
}

float divisor(float variance, float epsilon, EpsilonPlace place) noexcept {
  return place == EpsilonPlace::variance ? std::sqrt(variance + epsilon) : std::sqrt(variance) + epsilon;
}

template <class F>
void layer_norm_row(std::int64_t size, const float* x, const float* weight, const float* bias, float epsilon, EpsilonPlace place,
                    float* y) {
  const auto [mean, variance] = moments<F>(size, x);
  const auto deviation = [m = F(mean)](F v) { return v - m; };
  const F factor(1 / divisor(variance, epsilon, place));
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

/// Calls visit(j, x_j, g_j), g = dy (offset + weight), batch by batch; what lies beyond the row is `rest` and 0.
template <class F, class Visit>
void each_scaled(std::int64_t size, const float* x, const float* dy, const float* weight, float offset, float rest, Visit visit) {
  const F one(1.f), o(offset);
  std::int64_t j = 0;
  for (; j + lanes<F> <= size; j += lanes<F>) {
    const F w = weight ? o + F::load_unaligned(weight + j) : one;
    visit(j, F::load_unaligned(x + j), F::load_unaligned(dy + j) * w);
  }
  if (j == size) return;
  const F w = weight ? o + load_part<F>(weight + j, size - j) : one;
  visit(j, load_part<F>(x + j, size - j, rest), load_part<F>(dy + j, size - j) * w);
}

/// dx = factor * (g - mean_g - slope * (x - mean)), where g = dy (offset + weight), and the weight's gradient from the row of it.
struct RowBackward {
  float mean, factor, mean_g, slope;
};

template <class F>
void backward_row(std::int64_t size, const float* x, const float* weight, float offset, const float* dy, RowBackward row, float* dx,
                  float* dweight) {
  const F mean(row.mean), factor(row.factor);
  if (dweight) {
    map_row<F>(size, dweight, [=](F sum, F v, F d) { return multiply_add((v - mean) * factor, d, sum); }, dweight, x, dy);
  }
  const F mean_g(row.mean_g), slope(row.slope);
  each_scaled<F>(size, x, dy, weight, offset, row.mean, [&](std::int64_t j, F v, F g) {
    const F result = factor * (g - mean_g - slope * (v - mean));
    j + lanes<F> <= size ? result.store_unaligned(dx + j) : store_part<F>(result, dx + j, size - j);
  });
}

template <class F>
void layer_norm_backward_row(std::int64_t size, const float* x, const float* weight, float epsilon, const float* dy, float* dx,
                             float* dweight, float* dbias, EpsilonPlace place) {
  const auto [mean, variance] = moments<F>(size, x);
  F g_sum(0.f), product_sum(0.f);
  each_scaled<F>(size, x, dy, weight, 0, mean, [&, m = F(mean)](std::int64_t, F v, F g) {
    g_sum += g;
    product_sum = multiply_add(v - m, g, product_sum);
  });
  const float s = divisor(variance, epsilon, place);
  // The derivative of s: of sqrt(var + epsilon), or of sqrt(var) alone, whose products are 0 where the variance is.
  const float root = place == EpsilonPlace::variance ? s : std::sqrt(variance);
  const float slope = root > 0 ? xsimd::reduce_add(product_sum) / (float(size) * s * root) : 0;
  if (dbias) map_row<F>(size, dbias, [](F sum, F d) { return sum + d; }, dbias, dy);
  backward_row<F>(size, x, weight, 0, dy, {mean, 1 / s, xsimd::reduce_add(g_sum) / float(size), slope}, dx, dweight);
}

template <class F>
void rms_norm_backward_row(std::int64_t size, const float* x, const float* weight, float offset, float epsilon, const float* dy, float* dx,
                           float* dweight) {
  const float square = sum_row<F>(size, x, 0, [](F v) { return v * v; }) / float(size) + epsilon;
  F product_sum(0.f);
  each_scaled<F>(size, x, dy, weight, offset, 0, [&](std::int64_t, F v, F g) { product_sum = multiply_add(v, g, product_sum); });
  backward_row<F>(size, x, weight, offset, dy, {0, 1 / std::sqrt(square), 0, xsimd::reduce_add(product_sum) / (float(size) * square)}, dx,
                  dweight);
}

}  // namespace

void layer_norm(ConstMatrix x, const float* weight, const float* bias, float epsilon, Matrix y, EpsilonPlace place) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) layer_norm_row<Floats>(x.cols, x.row(i), weight, bias, epsilon, place, y.row(i));
}

void rms_norm(ConstMatrix x, const float* weight, float offset, float epsilon, Matrix y) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) rms_norm_row<Floats>(x.cols, x.row(i), weight, offset, epsilon, y.row(i));
}

void layer_norm_backward(ConstMatrix x, const float* weight, float epsilon, ConstMatrix dy, Matrix dx, float* dweight, float* dbias,
                         EpsilonPlace place) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i)
    layer_norm_backward_row<Floats>(x.cols, x.row(i), weight, epsilon, dy.row(i), dx.row(i), dweight, dbias, place);
}

void rms_norm_backward(ConstMatrix x, const float* weight, float offset, float epsilon, ConstMatrix dy, Matrix dx,
                       float* dweight) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i)
    rms_norm_backward_row<Floats>(x.cols, x.row(i), weight, offset, epsilon, dy.row(i), dx.row(i), dweight);
}

}  // namespace webformer
