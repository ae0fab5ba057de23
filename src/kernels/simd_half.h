#pragma once
// Batches of IEEE halves as floats.

#include "kernels/simd.h"

namespace webformer {

struct Half {
  static constexpr std::int32_t sign_and_magnitude = std::int32_t(0x8fffe000u);
  static constexpr float rebias = std::bit_cast<float>(std::uint32_t{(254 - 15) << 23});
};

/// lanes<F> finite halves as floats, exactly.
template <class F>
inline F load_halves(const std::uint16_t* halves) noexcept {
#if defined(__F16C__) && !XSIMD_WITH_EMULATED
  if constexpr (lanes<F> == 4) return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(halves)));
#ifdef __AVX2__
  if constexpr (lanes<F> == 8) return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(halves)));
#endif
#ifdef __AVX512F__
  if constexpr (lanes<F> == 16) return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves)));
#endif
#else
  using Ints = IntsOf<F>;
#ifdef __wasm_simd128__
  const Ints bits = wasm_i32x4_load16x4(halves);  // the sign is copied up to bit 31
#else
  alignas(64) std::int32_t buffer[F::size];
  for (std::int64_t i = 0; i < lanes<F>; ++i) buffer[i] = std::int16_t(halves[i]);
  const Ints bits = Ints::load_aligned(buffer);
#endif
  // As core/half.h: the exponent is shifted into float's range by a multiplication, which normalizes subnormals too.
  const Ints shifted = (bits << 13) & constant<Ints>(Half::sign_and_magnitude);
  return xsimd::bitwise_cast<float>(shifted) * constant<F>(Half::rebias);
#endif
}

}  // namespace webformer
