#pragma once
// IEEE 754 binary16 and bfloat16, as storage: arithmetic is in float.

#include <bit>
#include <cstdint>

namespace webformer {

inline float half_to_float(std::uint16_t half) noexcept {
  // Exponents are shifted into float's range by a multiplication, which also normalizes subnormals (F. Giesen, "Half to float done quick").
  constexpr float rebias = std::bit_cast<float>(std::uint32_t{(254 - 15) << 23});
  constexpr float infinity_or_nan = std::bit_cast<float>(std::uint32_t{(127 + 16) << 23});
  float value = std::bit_cast<float>(std::uint32_t(half & 0x7fffu) << 13) * rebias;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (value >= infinity_or_nan) bits |= 0xffu << 23;
  return std::bit_cast<float>(bits | (std::uint32_t(half & 0x8000u) << 16));
}

/// Rounds to nearest, ties to even; too large becomes infinity.
inline std::uint16_t float_to_half(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x7f800000u) return std::uint16_t(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
  if (magnitude >= 0x477ff000u) return std::uint16_t(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 lines the mantissa up so that the addition does the rounding
    const float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    return std::uint16_t(sign | (std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u));
  }
  const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return std::uint16_t(sign | ((rounded - (112u << 23)) >> 13));
}

inline float bfloat16_to_float(std::uint16_t value) noexcept { return std::bit_cast<float>(std::uint32_t(value) << 16); }

/// Rounds to nearest, ties to even; NaN stays NaN.
inline std::uint16_t float_to_bfloat16(float value) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return std::uint16_t((bits >> 16) | 0x40u);
  return std::uint16_t((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace webformer
