#include "kernels/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/simd_bytes.h"

namespace webformer {

namespace {

/// How far from 0, in mean sizes, numbers count as the bulk: two and a half standard deviations of normal ones.
constexpr float bulk = 3.2f;

struct Range {
  float lowest, highest;
  float mean_size;
  bool finite;
};

/// The range of the numbers and 0.
template <class F>
Range range_of(const float* x, std::int64_t count) noexcept {
  F lowest(0.f), highest(0.f), zeros(0.f), sizes(0.f);  // x - x is 0 for finite numbers and NaN for others
  const F share(1 / float(count));
  const auto see = [&](F v) {
    lowest = xsimd::min(lowest, v);
    highest = xsimd::max(highest, v);
    zeros += v - v;
    sizes = multiply_add(xsimd::abs(v), share, sizes);
  };
  std::int64_t i = 0;
  for (; i + lanes<F> <= count; i += lanes<F>) see(F::load_unaligned(x + i));
  if (i < count) see(load_part<F>(x + i, count - i));
  return {xsimd::reduce_min(lowest), xsimd::reduce_max(highest), xsimd::reduce_add(sizes), xsimd::reduce_add(zeros) == 0};
}

struct Rounding {
  static constexpr float shifter = 12582912;  // 1.5 * 2^23: adding it rounds to an integer and leaves that in the low bits
  static constexpr std::int32_t shifter_bits = std::bit_cast<std::int32_t>(shifter);
};

/// q = round(x * factor + zero), at least `lowest` and at most `highest`. Gives the sum of all q.
template <class F, class Q>
float round_row(const float* x, std::int64_t count, float factor, float zero, float lowest, float highest, Q* q) noexcept {
  using Int = IntsOf<F>;
  F sums(0.f);
  const F shifter(Rounding::shifter + zero), least(Rounding::shifter + lowest), most(Rounding::shifter + highest);
  const auto rounded = [&](F v) {
    const F shifted = xsimd::min(xsimd::max(multiply_add(v, F(factor), shifter), least), most);
    sums += shifted - F(Rounding::shifter);
    return xsimd::bitwise_cast<std::int32_t>(shifted) - Int(Rounding::shifter_bits);
  };
  std::int64_t i = 0;
  for (; i + 4 * lanes<F> <= count; i += 4 * lanes<F>) {
    std::array<Int, 4> four;
    unroll<4>([&](auto j) { four[j] = rounded(F::load_unaligned(x + i + j * lanes<F>)); });
    store_narrow<F>(four, q + i);
  }
  float rest = 0;
  for (; i < count; ++i) {
    const float value = std::min(std::max(std::nearbyint(x[i] * factor + zero), lowest), highest);
    q[i] = Q(value);
    rest += value;
  }
  return xsimd::reduce_add(sums) + rest;
}

template <class Q>
Quantized not_finite(std::int64_t count, Q* q) noexcept {
  std::fill_n(q, count, Q(0));
  return {std::numeric_limits<float>::quiet_NaN(), 0, 0};
}

/// 1 / scale, or 0 where it is 0 or so small that its inverse is infinite.
float inverse(float scale) noexcept { return scale >= std::numeric_limits<float>::min() ? 1 / scale : 0; }

}  // namespace

Quantized quantize_bulk(const float* x, std::int64_t count, std::int16_t* q) noexcept {
  const Range range = range_of<Floats>(x, count);
  if (!range.finite) return not_finite(count, q);
  const float largest = std::max(range.highest, -range.lowest), limit = std::max(bulk * range.mean_size, largest / 127);
  const float lowest = std::max(range.lowest, -limit), highest = std::min(range.highest, limit);
  const float scale = highest / 126 - lowest / 126, factor = inverse(scale);  // a step is left for the rounding of zero
  const float zero = std::nearbyint(-lowest * factor);
  const float sum = round_row<Floats>(x, count, factor, zero, -128 * 127, 128 * 127, q);
  return {scale, zero, sum};
}

Quantized quantize_8bit(const float* x, std::int64_t count, std::int8_t* q) noexcept {
  const Range range = range_of<Floats>(x, count);
  if (!range.finite) return not_finite(count, q);
  const float scale = std::max(range.highest, -range.lowest) / 127;
  const float sum = round_row<Floats>(x, count, inverse(scale), 0, -127, 127, q);
  return {scale, 0, sum};
}

}  // namespace webformer
