#pragma once
// Groups of activations as small integers: x ~ scale * (q - zero).

#include <cstdint>

namespace webformer {

struct Quantized {
  float scale;  ///< NaN where a number of the group is not finite, so that what is computed from it is NaN
  float zero;
  float sum;    ///< of all q
};

/// The bulk of the numbers in 0..127, and those of unusual size as far outside of it as they are, within -128 * 127..128 * 127, all on
/// the same steps. 0 stays exact.
Quantized quantize_bulk(const float* x, std::int64_t count, std::int16_t* q) noexcept;
/// q in -127..127; zero is 0.
Quantized quantize_8bit(const float* x, std::int64_t count, std::int8_t* q) noexcept;

}  // namespace webformer
