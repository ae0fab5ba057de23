#pragma once
// Rows of weights as small integers. Weights are finite: a loader has checked them.

#include <cstdint>

#include "core/half.h"

namespace webformer {

/// The step of int8 weights: the largest size of the row / 127.
float int8_scale(const float* row, std::int64_t count) noexcept;
/// q = row / scale, rounded. Gives the sum of all q.
float quantize_by(float scale, const float* row, std::int64_t count, std::int8_t* q) noexcept;

/// What a group of 4-bit weights has in common: w = scale * (q - zero). As IEEE halves.
struct Int4Group {
  std::uint16_t scale, zero;

  float value(int q) const noexcept { return half_to_float(scale) * (float(q) - half_to_float(zero)); }
};

/// q in 0..15. Numbers that come from at most 16 equal steps, as those of GGUF's Q4_0, keep their values exactly.
Int4Group quantize_4bit(const float* x, std::int64_t count, std::uint8_t* q) noexcept;

}  // namespace webformer
