#pragma once
// Rows of activations as small integers, group by group: x ~ scale * (q - zero).

#include <cstdint>

namespace webformer {

struct Quantized {
  float scale;
  float zero;
};

/// q in 0..127, the range of the group and 0 spread over it, so that 0 stays exact. A group that is not finite gets the scale NaN.
Quantized quantize_7bit(const float* x, std::int64_t count, std::int8_t* q) noexcept;
/// q in -127..127; zero is 0.
Quantized quantize_8bit(const float* x, std::int64_t count, std::int8_t* q) noexcept;

}  // namespace webformer
