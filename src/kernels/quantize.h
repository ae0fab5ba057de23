#pragma once
// Groups of activations as small integers: x ~ scale * (q - zero).

#include <cstdint>

namespace webformer {

struct Quantized {
  float scale;  ///< NaN where a number of the group is not finite, so that what is computed from it is NaN
  float zero;
  float sum;    ///< of all q
};

/// q in 0..127, spread over the range of the numbers and 0, so that 0 stays exact.
Quantized quantize_7bit(const float* x, std::int64_t count, std::int8_t* q) noexcept;
/// q in -127..127; zero is 0.
Quantized quantize_8bit(const float* x, std::int64_t count, std::int8_t* q) noexcept;

}  // namespace webformer
