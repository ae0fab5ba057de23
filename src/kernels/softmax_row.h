#pragma once
// Softmax of one row, for softmax and for attention.

#include <algorithm>

#include "kernels/simd_math.h"

namespace webformer {

/// The number to subtract before exp: the largest, but 0 where that is -inf, so that -inf gives 0 and NaN stays NaN.
inline float softmax_shift(float largest) noexcept { return largest == -std::numeric_limits<float>::infinity() ? 0.f : largest; }

/// What to multiply by instead of dividing by the sum; a row that sees nothing has the sum 0 and stays 0.
inline float softmax_factor(float sum) noexcept { return sum == 0 ? 0.f : 1 / sum; }

/// x_i = exp(x_i - shift), in place. Gives their sum.
template <class F>
inline float exponentials_row(std::int64_t count, float* x, float shift) noexcept {
  const F s(shift);
  F sum(0.f), other_sum(0.f);
  std::int64_t i = 0;
  for (; i + 2 * lanes<F> <= count; i += 2 * lanes<F>) {  // two at a time, to read the constants of exp once for both
    const F e = simd_exp(F::load_unaligned(x + i) - s), other = simd_exp(F::load_unaligned(x + i + lanes<F>) - s);
    e.store_unaligned(x + i);
    other.store_unaligned(x + i + lanes<F>);
    sum += e;
    other_sum += other;
  }
  for (; i < count; i += lanes<F>) {
    const F e = simd_exp(load_part<F>(x + i, count - i, -std::numeric_limits<float>::infinity()) - s);
    store_part(e, x + i, std::min(count - i, lanes<F>));
    sum += e;
  }
  return xsimd::reduce_add(sum + other_sum);
}

template <class F>
inline void softmax_row(std::int64_t count, float* x) noexcept {
  const float sum = exponentials_row<F>(count, x, softmax_shift(max_row<F>(count, x)));
  map_row<F>(count, x, [factor = F(softmax_factor(sum))](F v) { return v * factor; }, x);
}

}  // namespace webformer
