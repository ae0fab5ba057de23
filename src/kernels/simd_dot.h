#pragma once
// Products of bytes summed in 32-bit lanes, which xsimd lacks: a lane is one output and takes four inputs a step.
// One operand is unsigned on x86 and signed on ARM, so it is kept within 0..127. All ways give the same integers:
//   FusedDot  four products are multiplied and added by one instruction (ARM, VNNI), or by plain code where there is no other way
//   SplitDot  two products at a time (x86: SSSE3, AVX2, AVX-512)
//   WideDot   bytes are widened to 16 bits first, two inputs a step (SIMD128, SSE2, and relaxed SIMD on x86 for weights of 8 bits: it is
//             as fast as SplitDot there, and takes numbers outside of 7 bits as they are)
//   PairDot   the same, four inputs a step (SIMD128, SSE2, for weights of 4 bits)

#include "kernels/simd.h"

namespace webformer {

template <class A>
using Bytes = xsimd::batch<std::int8_t, A>;
template <class A>
using Shorts = xsimd::batch<std::int16_t, A>;
template <class A>
using Ints = xsimd::batch<std::int32_t, A>;

struct DotConstants {
  static constexpr std::int8_t nibble = 15;
  static constexpr std::int32_t two_ones = 0x00010001;
};

// The instructions, by architecture, as xsimd writes them: the most special overload wins.

/// sums + the four products of each lane. small: 0..127.
template <class A>
inline Ints<A> add_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::common) noexcept {
  alignas(64) std::int8_t a[Bytes<A>::size], b[Bytes<A>::size];
  alignas(64) std::int32_t sum[Ints<A>::size];
  bytes.store_aligned(a);
  small.store_aligned(b);
  sums.store_aligned(sum);
  for (std::size_t i = 0; i < Bytes<A>::size; ++i) sum[i / 4] += a[i] * b[i];
  return Ints<A>::load_aligned(sum);
}

// multiply_twins: the sums of two neighbouring products; small: 0..127. add_twins: the sums of two neighbouring numbers.

#if defined(__wasm_relaxed_simd__)
template <class A>
inline Ints<A> add_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::wasm) noexcept {
  return wasm_i32x4_relaxed_dot_i8x16_i7x16_add(bytes, small, sums);
}
template <class A>
inline Shorts<A> multiply_twins(Bytes<A> bytes, Bytes<A> small, xsimd::wasm) noexcept {
  return wasm_i16x8_relaxed_dot_i8x16_i7x16(bytes, small);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::wasm) noexcept {
  return wasm_i32x4_dot_i16x8(x, constant<Ints<A>>(DotConstants::two_ones));
}
#endif
#if XSIMD_WITH_SSSE3
template <class A>
inline Shorts<A> multiply_twins(Bytes<A> bytes, Bytes<A> small, xsimd::ssse3) noexcept {
  return _mm_maddubs_epi16(small, bytes);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::ssse3) noexcept {
  return _mm_madd_epi16(x, _mm_set1_epi16(1));
}
#endif
#if XSIMD_WITH_AVX2
template <class A>
inline Shorts<A> multiply_twins(Bytes<A> bytes, Bytes<A> small, xsimd::avx2) noexcept {
  return _mm256_maddubs_epi16(small, bytes);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::avx2) noexcept {
  return _mm256_madd_epi16(x, _mm256_set1_epi16(1));
}
#endif
#if XSIMD_WITH_AVX512BW
template <class A>
inline Shorts<A> multiply_twins(Bytes<A> bytes, Bytes<A> small, xsimd::avx512bw) noexcept {
  return _mm512_maddubs_epi16(small, bytes);
}
template <class A>
inline Ints<A> add_twins(Shorts<A> x, xsimd::avx512bw) noexcept {
  return _mm512_madd_epi16(x, _mm512_set1_epi16(1));
}
#endif
#if XSIMD_WITH_AVX512VNNI_AVX512BW || XSIMD_WITH_AVX512VNNI_AVX512VBMI2
template <class A>
inline Ints<A> add_quads(Bytes<A> bytes, Bytes<A> small, Ints<A> sums, xsimd::avx512bw) noexcept {
  return _mm512_dpbusd_epi32(sums, small, bytes);
}
template <class A>
inline constexpr bool has_vnni = std::is_base_of_v<xsimd::avx512bw, A>;
#else
template <class A>
inline constexpr bool has_vnni = false;
#endif

/// Whether two products at a time is the best that native code has.
template <class A>
inline constexpr bool splits =
    (std::is_base_of_v<xsimd::ssse3, A> || std::is_base_of_v<xsimd::avx2, A> || std::is_base_of_v<xsimd::avx512bw, A>) && !has_vnni<A>;

template <class F>
struct QuadLayout {
  using Batch = F;
  using A = typename F::arch_type;
  using Step = std::int8_t;                   ///< a packed input
  static constexpr std::int64_t inputs = 4;  ///< of a step
  using Weights = Bytes<A>;
  using Input = Bytes<A>;

  /// Where the weight of a lane lies in a batch of bytes. k: 0..3.
  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept { return lane * 4 + k; }

  static Weights load(const std::int8_t* bytes) noexcept { return Weights::load_unaligned(bytes); }
  /// The low and the high halves of bytes: the weights of two steps.
  static std::array<Weights, 2> load_nibbles(const std::int8_t* bytes) noexcept {
    const Weights both = Weights::load_unaligned(bytes), low = constant<Weights>(DotConstants::nibble);
    return {both & low, xsimd::bitwise_cast<std::int8_t>(xsimd::bitwise_cast<std::uint16_t>(both) >> 4) & low};
  }
  static void store_step(const std::int8_t* inputs, Step* step) noexcept { std::memcpy(step, inputs, 4); }
  /// One step of one row, in every lane.
  static Input splat(const Step* step) noexcept {
#ifdef __wasm_simd128__
    return wasm_v128_load32_splat(step);
#else
    std::int32_t four;
    std::memcpy(&four, step, sizeof four);
    return xsimd::bitwise_cast<std::int8_t>(Ints<A>(four));
#endif
  }
};

template <class F>
struct FusedDot : QuadLayout<F> {
  using A = typename F::arch_type;
  static constexpr int tile_rows = 6;  ///< what 16 registers hold
  using NibbleSums = Ints<A>;

  /// sums + the products. input: 0..127.
  static Ints<A> add(Bytes<A> weights, Bytes<A> input, Ints<A> sums) noexcept { return add_quads<A>(weights, input, sums, A()); }
  /// sums + the products. weights: 0..15.
  static NibbleSums add_nibbles(Bytes<A> weights, Bytes<A> input, NibbleSums sums) noexcept {
    return add_quads<A>(input, weights, sums, A());
  }
  static Ints<A> total(NibbleSums sums) noexcept { return sums; }
};

template <class F>
struct SplitDot : QuadLayout<F> {
  using A = typename F::arch_type;
  static constexpr int tile_rows = 5;
  using NibbleSums = Shorts<A>;  ///< two sums a lane: the products of 4-bit weights with 32 inputs fit 16 bits

  static Ints<A> add(Bytes<A> weights, Bytes<A> input, Ints<A> sums) noexcept {
    return sums + total(multiply_twins<A>(weights, input, A()));
  }
  static NibbleSums add_nibbles(Bytes<A> weights, Bytes<A> input, NibbleSums sums) noexcept {
    return sums + multiply_twins<A>(input, weights, A());
  }
  static Ints<A> total(NibbleSums sums) noexcept { return add_twins<A>(sums, A()); }
};

#if XSIMD_WITH_SSE2 || defined(__wasm_simd128__)
/// A batch of bytes holds the first two weights of every lane and after them the last two: either half widens straight into lanes.
template <class F>
struct PairDot {
  using Batch = F;
  static constexpr int tile_rows = 4;
  using A = typename F::arch_type;
  using Step = std::int16_t;
  struct Weights {
    Shorts<A> low, high;
  };
  using Input = Weights;
  using NibbleSums = Ints<A>;

  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept { return k / 2 * 2 * lanes<F> + lane * 2 + k % 2; }

  static std::array<Weights, 2> load_nibbles(const std::int8_t* bytes) noexcept {
    const Bytes<A> both = Bytes<A>::load_unaligned(bytes), low = constant<Bytes<A>>(DotConstants::nibble);
    return {widen(both & low), widen(xsimd::bitwise_cast<std::int8_t>(xsimd::bitwise_cast<std::uint16_t>(both) >> 4) & low)};
  }

  static NibbleSums add_nibbles(Weights weights, Input input, NibbleSums sums) noexcept {
    return sums + multiply(weights.low, input.low) + multiply(weights.high, input.high);
  }
  static Ints<A> total(NibbleSums sums) noexcept { return sums; }

#ifdef __wasm_simd128__
  static void store_step(const std::int8_t* inputs, Step* step) noexcept {
    wasm_v128_store64_lane(step, wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(inputs)), 0);
  }
  static Input splat(const Step* step) noexcept { return {wasm_v128_load32_splat(step), wasm_v128_load32_splat(step + 2)}; }

 private:
  static Weights widen(Bytes<A> bytes) noexcept { return {wasm_i16x8_extend_low_i8x16(bytes), wasm_i16x8_extend_high_i8x16(bytes)}; }
  static Ints<A> multiply(Shorts<A> a, Shorts<A> b) noexcept { return wasm_i32x4_dot_i16x8(a, b); }
#else
  static void store_step(const std::int8_t* inputs, Step* step) noexcept {
    for (int k = 0; k < 4; ++k) step[k] = inputs[k];
  }
  static Input splat(const Step* step) noexcept {
    std::int32_t two[2];
    std::memcpy(two, step, sizeof two);
    return {_mm_set1_epi32(two[0]), _mm_set1_epi32(two[1])};
  }

 private:
  static Weights widen(Bytes<A> bytes) noexcept {
    return {_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8), _mm_srai_epi16(_mm_unpackhi_epi8(bytes, bytes), 8)};
  }
  static Ints<A> multiply(Shorts<A> a, Shorts<A> b) noexcept { return _mm_madd_epi16(a, b); }
#endif
};

/// Two inputs a step.
template <class F>
struct WideDot {
  using Batch = F;
  using A = typename F::arch_type;
  using Step = std::int16_t;
  using Weights = Shorts<A>;
  using Input = Shorts<A>;
  static constexpr int tile_rows = 5;
  static constexpr std::int64_t inputs = 2;

  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept { return lane * 2 + k; }

#ifdef __wasm_simd128__
  static Weights load(const std::int8_t* bytes) noexcept { return wasm_i16x8_load8x8(bytes); }
  static Input splat(const Step* step) noexcept { return wasm_v128_load32_splat(step); }
  static Ints<A> add(Weights weights, Input input, Ints<A> sums) noexcept { return sums + Ints<A>(wasm_i32x4_dot_i16x8(weights, input)); }
#else
  static Weights load(const std::int8_t* bytes) noexcept {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
    return _mm_srai_epi16(_mm_unpacklo_epi8(eight, eight), 8);
  }
  static Input splat(const Step* step) noexcept {
    std::int32_t two;
    std::memcpy(&two, step, sizeof two);
    return _mm_set1_epi32(two);
  }
  static Ints<A> add(Weights weights, Input input, Ints<A> sums) noexcept { return sums + Ints<A>(_mm_madd_epi16(weights, input)); }
#endif
};
#else
template <class F>
using PairDot = FusedDot<F>;
template <class F>
using WideDot = FusedDot<F>;
#endif

/// Whether relaxed SIMD multiplies and adds four bytes at once. SSSE3 in its place shows by its 16-bit sums, which saturate.
template <class A>
inline bool quads_are_fused() noexcept {
  constexpr std::int32_t saturated = 2 * 32767;
  volatile std::int8_t large = 127, all_ones = -1;
  return add_quads<A>(Bytes<A>(large), Bytes<A>(all_ones), Ints<A>(0), A()).first() != saturated;
}

/// Calls visit(dot) with the type that suits the machine: FusedDot where there is such an instruction, elsewhere Relaxed with relaxed SIMD,
/// SplitDot in native code that has its instructions, and Plain in all other.
template <class F, template <class> class Relaxed, template <class> class Plain, class Visit>
inline auto with_dot_of(Visit visit) {
#if defined(__wasm_relaxed_simd__)
  static const bool fused = quads_are_fused<typename F::arch_type>();
  return fused ? visit(FusedDot<F>()) : visit(Relaxed<F>());
#elif defined(__wasm_simd128__)
  return visit(Plain<F>());
#else
  using A = typename F::arch_type;
  if constexpr (splits<A>) {
    return visit(SplitDot<F>());
  } else if constexpr (std::is_base_of_v<xsimd::sse2, A> && !has_vnni<A>) {
    return visit(Plain<F>());
  } else {
    return visit(FusedDot<F>());
  }
#endif
}

/// For weights of 8 bits.
template <class F, class Visit>
inline auto with_dot(Visit visit) {
  return with_dot_of<F, WideDot, WideDot>(visit);
}

/// For weights of 4 bits.
template <class F, class Visit>
inline auto with_nibble_dot(Visit visit) {
  return with_dot_of<F, SplitDot, PairDot>(visit);
}

}  // namespace webformer
