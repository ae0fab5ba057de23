#pragma once
// Products of bytes summed in 32-bit lanes, which xsimd lacks: a lane is one output and takes four inputs a step.
//
// QuadDot: where bytes can be multiplied, the four weights of a lane lie side by side.
// PairDot: where they cannot (SIMD128, SSE2), bytes are widened to 16 bits and multiplied in pairs; a batch of bytes then holds the
// first two weights of every lane and after them the last two, so that either half widens straight into lanes.
// Both give the same integers. One operand is unsigned on x86 and signed on ARM, so it is kept within 0..127.

#include "kernels/simd.h"

namespace webformer {

template <class A>
using Bytes = xsimd::batch<std::int8_t, A>;
template <class A>
using Shorts = xsimd::batch<std::int16_t, A>;
template <class A>
using Ints = xsimd::batch<std::int32_t, A>;

// The primitives, by architecture, as xsimd writes them: the most special overload wins.

/// sums + the four products of each lane. small: 0..127.
template <class A>
inline Ints<A> dot_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::common) noexcept {
  alignas(64) std::int8_t a[Bytes<A>::size], b[Bytes<A>::size];
  alignas(64) std::int32_t sum[Ints<A>::size];
  bytes.store_aligned(a);
  small.store_aligned(b);
  sums.store_aligned(sum);
  for (std::size_t i = 0; i < Bytes<A>::size; ++i) sum[i / 4] += a[i] * b[i];
  return Ints<A>::load_aligned(sum);
}

/// The sums of two neighbouring products. small: 0..127; two products fit 16 bits.
template <class A>
inline Shorts<A> dot_twins(Bytes<A> bytes, Bytes<A> small, xsimd::common) noexcept {
  alignas(64) std::int8_t a[Bytes<A>::size], b[Bytes<A>::size];
  alignas(64) std::int16_t sum[Shorts<A>::size];
  bytes.store_aligned(a);
  small.store_aligned(b);
  for (std::size_t i = 0; i < Shorts<A>::size; ++i) sum[i] = std::int16_t(a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]);
  return Shorts<A>::load_aligned(sum);
}

/// The sums of two neighbouring numbers.
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::common) noexcept {
  alignas(64) std::int16_t a[Shorts<A>::size];
  alignas(64) std::int32_t sum[Ints<A>::size];
  x.store_aligned(a);
  for (std::size_t i = 0; i < Ints<A>::size; ++i) sum[i] = a[2 * i] + a[2 * i + 1];
  return Ints<A>::load_aligned(sum);
}

#if defined(__wasm_relaxed_simd__)
template <class A>
inline Ints<A> dot_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::wasm) noexcept {
  return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(bytes, small, sums);
}
template <class A>
inline Shorts<A> dot_twins(Bytes<A> bytes, Bytes<A> small, xsimd::wasm) noexcept {
  return wasm_i16x8_relaxed_dot_i8x16_i7x16(bytes, small);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::wasm) noexcept {
  return wasm_i32x4_extadd_pairwise_i16x8(x);
}
#endif

#if XSIMD_WITH_SSSE3
template <class A>
inline Shorts<A> dot_twins(Bytes<A> bytes, Bytes<A> small, xsimd::ssse3) noexcept {
  return _mm_maddubs_epi16(small, bytes);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::ssse3) noexcept {
  return _mm_madd_epi16(x, _mm_set1_epi16(1));
}
template <class A>
inline Ints<A> dot_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::ssse3) noexcept {
  return sums + add_twins<A>(dot_twins<A>(bytes, small, A()), A());
}
#endif

#if XSIMD_WITH_AVX2
template <class A>
inline Shorts<A> dot_twins(Bytes<A> bytes, Bytes<A> small, xsimd::avx2) noexcept {
  return _mm256_maddubs_epi16(small, bytes);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::avx2) noexcept {
  return _mm256_madd_epi16(x, _mm256_set1_epi16(1));
}
template <class A>
inline Ints<A> dot_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::avx2) noexcept {
  return sums + add_twins<A>(dot_twins<A>(bytes, small, A()), A());
}
#endif

#if XSIMD_WITH_AVX512BW
template <class A>
inline Shorts<A> dot_twins(Bytes<A> bytes, Bytes<A> small, xsimd::avx512bw) noexcept {
  return _mm512_maddubs_epi16(small, bytes);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::avx512bw) noexcept {
  return _mm512_madd_epi16(x, _mm512_set1_epi16(1));
}
template <class A>
inline Ints<A> dot_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::avx512bw) noexcept {
#if XSIMD_WITH_AVX512VNNI_AVX512BW || XSIMD_WITH_AVX512VNNI_AVX512VBMI2
  return _mm512_dpbusd_epi32(sums, small, bytes);
#else
  return sums + add_twins<A>(dot_twins<A>(bytes, small, A()), A());
#endif
}
#endif

/// Four products a lane, by instructions that multiply bytes (or one byte after the other where there are none).
template <class F>
struct QuadDot {
  using A = typename F::arch_type;
  using Step = std::int8_t;
  using Weights = Bytes<A>;
  using Input = Bytes<A>;
  /// Sums of up to 16 products a lane of 4-bit weights fit 16 bits.
  using NibbleSums = Shorts<A>;

  /// Where the weight of a lane lies in a batch of bytes. k: 0..3.
  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept { return lane * 4 + k; }

  static Weights load(const std::int8_t* bytes) noexcept { return Weights::load_unaligned(bytes); }
  /// The low and the high halves of bytes: the weights of two steps.
  static std::array<Weights, 2> load_nibbles(const std::int8_t* bytes) noexcept {
    const Weights both = Weights::load_unaligned(bytes);
    const auto shifted = xsimd::bitwise_cast<std::int8_t>(xsimd::bitwise_cast<std::uint16_t>(both) >> 4);
    return {both & Weights(15), shifted & Weights(15)};
  }
  /// One step of one row, in every lane.
  static Input splat(const Step* step) noexcept {
    std::int32_t four;
    std::memcpy(&four, step, sizeof four);
    return xsimd::bitwise_cast<std::int8_t>(Ints<A>(four));
  }

  /// sums + the products. input: 0..127.
  static Ints<A> add(Weights weights, Input input, Ints<A> sums) noexcept { return dot_quads<A>(weights, input, sums, A()); }
  /// sums + the products. weights: 0..15.
  static NibbleSums add_nibbles(Weights weights, Input input, NibbleSums sums) noexcept {
    return sums + dot_twins<A>(input, weights, A());
  }
  static Ints<A> total(NibbleSums sums) noexcept { return add_twins<A>(sums, A()); }
};

#if XSIMD_WITH_SSE2 || defined(__wasm_simd128__)
/// Four products a lane, by 16-bit multiplications.
template <class F>
struct PairDot {
  using A = typename F::arch_type;
  using Step = std::int16_t;
  struct Weights {
    Shorts<A> low, high;
  };
  using Input = Weights;
  using NibbleSums = Ints<A>;

  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept { return k / 2 * 2 * lanes<F> + lane * 2 + k % 2; }

  static Weights load(const std::int8_t* bytes) noexcept { return widen(Bytes<A>::load_unaligned(bytes)); }
  static std::array<Weights, 2> load_nibbles(const std::int8_t* bytes) noexcept {
    const Bytes<A> both = Bytes<A>::load_unaligned(bytes);
    const auto shifted = xsimd::bitwise_cast<std::int8_t>(xsimd::bitwise_cast<std::uint16_t>(both) >> 4);
    return {widen(both & Bytes<A>(15)), widen(shifted & Bytes<A>(15))};
  }
  static Input splat(const Step* step) noexcept {
    std::int32_t two[2];
    std::memcpy(two, step, sizeof two);
    return {xsimd::bitwise_cast<std::int16_t>(Ints<A>(two[0])), xsimd::bitwise_cast<std::int16_t>(Ints<A>(two[1]))};
  }

  static Ints<A> add(Weights weights, Input input, Ints<A> sums) noexcept {
    return sums + multiply(weights.low, input.low) + multiply(weights.high, input.high);
  }
  static NibbleSums add_nibbles(Weights weights, Input input, NibbleSums sums) noexcept { return add(weights, input, sums); }
  static Ints<A> total(NibbleSums sums) noexcept { return sums; }

 private:
#ifdef __wasm_simd128__
  static Weights widen(Bytes<A> bytes) noexcept { return {wasm_i16x8_extend_low_i8x16(bytes), wasm_i16x8_extend_high_i8x16(bytes)}; }
  static Ints<A> multiply(Shorts<A> a, Shorts<A> b) noexcept { return wasm_i32x4_dot_i16x8(a, b); }
#else
  static Weights widen(Bytes<A> bytes) noexcept {
    return {_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8), _mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8)};
  }
  static Ints<A> multiply(Shorts<A> a, Shorts<A> b) noexcept { return _mm_madd_epi16(a, b); }
#endif
};
#endif

/// The one that suits the batch.
#if defined(__wasm_simd128__) && !defined(__wasm_relaxed_simd__)
template <class F>
using Dot = PairDot<F>;
#elif XSIMD_WITH_SSE2 && !XSIMD_WITH_SSSE3
template <class F>
using Dot = std::conditional_t<std::is_base_of_v<xsimd::sse2, typename F::arch_type>, PairDot<F>, QuadDot<F>>;
#else
template <class F>
using Dot = QuadDot<F>;
#endif

}  // namespace webformer
