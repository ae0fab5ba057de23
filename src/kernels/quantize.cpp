#include "kernels/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/simd.h"

namespace webformer {

namespace {

struct Range {
  float lowest, highest;
  bool finite;
};

/// The range of the numbers and 0.
template <class F>
Range range_of(const float* x, std::int64_t count) noexcept {
  const auto lower = [](F a, F b) { return xsimd::min(a, b); };
  const auto higher = [](F a, F b) { return xsimd::max(a, b); };
  const auto same = [](F v) { return v; };
  return {xsimd::reduce_min(reduce_row<F>(count, x, F(0.f), 0, lower, same)), xsimd::reduce_max(reduce_row<F>(count, x, F(0.f), 0, higher, same)),
          sum_row<F>(count, x, 0, [](F v) { return v - v; }) == 0};
}

template <class F>
void round_row(const float* x, std::int64_t count, float inverse, float zero, float lowest, float highest, std::int8_t* q) noexcept {
  for (std::int64_t i = 0; i < count; ++i) q[i] = std::int8_t(std::min(std::max(std::nearbyint(x[i] * inverse) + zero, lowest), highest));
}

Quantized not_finite(std::int64_t count, std::int8_t* q) noexcept {
  std::fill_n(q, count, std::int8_t(0));
  return {std::numeric_limits<float>::quiet_NaN(), 0};
}

}  // namespace

Quantized quantize_7bit(const float* x, std::int64_t count, std::int8_t* q) noexcept {
  const Range range = range_of<Floats>(x, count);
  if (!range.finite) return not_finite(count, q);
  const float scale = (range.highest - range.lowest) / 127, inverse = scale > 0 ? 1 / scale : 0;
  const float zero = std::nearbyint(-range.lowest * inverse);
  round_row<Floats>(x, count, inverse, zero, 0, 127, q);
  return {scale, zero};
}

Quantized quantize_8bit(const float* x, std::int64_t count, std::int8_t* q) noexcept {
  const Range range = range_of<Floats>(x, count);
  if (!range.finite) return not_finite(count, q);
  const float scale = std::max(range.highest, -range.lowest) / 127, inverse = scale > 0 ? 1 / scale : 0;
  round_row<Floats>(x, count, inverse, 0, -127, 127, q);
  return {scale, 0};
}

}  // namespace webformer
