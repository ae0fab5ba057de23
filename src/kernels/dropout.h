#pragma once
// Which numbers dropout keeps: a hash of seed and place, the same on every machine and whatever the order of the work.

#include "kernels/simd.h"

namespace webformer {

class Dropout {
 public:
  Dropout(float rate, std::uint64_t seed) noexcept
      : threshold_(std::uint32_t(double(rate) * 4294967296.0)),
        seed_(hash(std::uint32_t(seed) + hash(std::uint32_t(seed >> 32)))),
        factor_(1 / (1 - rate)) {}

  /// x_i = x_i / (1 - rate), or 0, for `count` numbers of which the first stands at `place`.
  template <class F>
  void apply(std::int64_t count, float* x, std::int64_t place) const noexcept {
    const F factor(factor_);
    alignas(64) float kept[F::size];
    for (std::int64_t i = 0; i < count; i += lanes<F>) {
      for (std::int64_t j = 0; j < lanes<F>; ++j) kept[j] = keeps(place + i + j) ? 1.f : 0.f;
      // A product would leave the NaN and the infinite where they are.
      const auto drop = [&](F v) { return xsimd::select(F::load_aligned(kept) > F(0.f), v * factor, F(0.f)); };
      if (i + lanes<F> <= count) {
        drop(F::load_unaligned(x + i)).store_unaligned(x + i);
      } else {
        store_part<F>(drop(load_part<F>(x + i, count - i)), x + i, count - i);
      }
    }
  }

  bool keeps(std::int64_t place) const noexcept { return hash(std::uint32_t(place) + seed_) >= threshold_; }

 private:
  /// Wellons' lowbias32: every bit of the input changes every bit of the output in half of all cases.
  static std::uint32_t hash(std::uint32_t x) noexcept {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
  }

  std::uint32_t threshold_, seed_;
  float factor_;
};

}  // namespace webformer
