#pragma once
// From batches of 32-bit integers to bytes and shorts, which xsimd lacks.

#include "kernels/simd.h"

namespace webformer {

/// Stores four batches of numbers within -128..127 as bytes, in order.
template <class F>
inline void store_narrow(const std::array<IntsOf<F>, 4>& x, std::int8_t* out) noexcept {
#if defined(__wasm_simd128__)
  wasm_v128_store(out, wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(x[0], x[1]), wasm_i16x8_narrow_i32x4(x[2], x[3])));
#elif defined(__AVX512F__) && !XSIMD_WITH_EMULATED
  unroll<4>([&](auto j) { _mm_storeu_si128(reinterpret_cast<__m128i*>(out) + j, _mm512_cvtepi32_epi8(x[j])); });
#elif defined(__AVX2__) && !XSIMD_WITH_EMULATED
  // The instructions pack each half of a register by itself; the permutation puts the groups of four back in order.
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(x[0], x[1]), _mm256_packs_epi32(x[2], x[3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
#elif defined(__SSE2__) && !defined(__AVX__) && !XSIMD_WITH_EMULATED
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_packs_epi16(_mm_packs_epi32(x[0], x[1]), _mm_packs_epi32(x[2], x[3])));
#else
  alignas(64) std::int32_t numbers[F::size];
  unroll<4>([&](auto j) {
    x[j].store_aligned(numbers);
    for (std::size_t i = 0; i < F::size; ++i) out[std::size_t(j) * F::size + i] = std::int8_t(numbers[i]);
  });
#endif
}

/// Stores four batches of numbers within -32768..32767 as shorts, in order.
template <class F>
inline void store_narrow(const std::array<IntsOf<F>, 4>& x, std::int16_t* out) noexcept {
#if defined(__wasm_simd128__)
  unroll<2>([&](auto j) { wasm_v128_store(out + j * 8, wasm_i16x8_narrow_i32x4(x[2 * j], x[2 * j + 1])); });
#elif defined(__AVX512F__) && !XSIMD_WITH_EMULATED
  unroll<4>([&](auto j) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + j, _mm512_cvtepi32_epi16(x[j])); });
#elif defined(__AVX2__) && !XSIMD_WITH_EMULATED
  unroll<2>([&](auto j) {
    const __m256i shorts = _mm256_packs_epi32(x[2 * j], x[2 * j + 1]);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + j, _mm256_permute4x64_epi64(shorts, 0b11011000));
  });
#elif defined(__SSE2__) && !defined(__AVX__) && !XSIMD_WITH_EMULATED
  unroll<2>([&](auto j) { _mm_storeu_si128(reinterpret_cast<__m128i*>(out) + j, _mm_packs_epi32(x[2 * j], x[2 * j + 1])); });
#else
  alignas(64) std::int32_t numbers[F::size];
  unroll<4>([&](auto j) {
    x[j].store_aligned(numbers);
    for (std::size_t i = 0; i < F::size; ++i) out[std::size_t(j) * F::size + i] = std::int16_t(numbers[i]);
  });
#endif
}

}  // namespace webformer
