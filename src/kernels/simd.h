#pragma once
// The one file that knows of instruction sets: xsimd's batches, as the compiler's flags choose them, and what xsimd lacks.
// Kernels are templates over the batch type F; `Floats` is the one that the public functions take.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <xsimd/xsimd.hpp>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace webformer {

using Floats = xsimd::batch<float, xsimd::default_arch>;

template <class F>
inline constexpr std::int64_t lanes = std::int64_t(F::size);
/// The 32-bit integers beside the floats F.
template <class F>
using IntsOf = xsimd::batch<std::int32_t, typename F::arch_type>;

/// body(0), body(1), … with the index as a constant, so that arrays of batches live in registers.
template <int Count, int First = 0, class Body>
[[gnu::always_inline]] inline void unroll(const Body& body) {
  if constexpr (First < Count) {
    body(std::integral_constant<int, First>());
    unroll<Count, First + 1>(body);
  }
}

/// Whether multiply_add is one instruction, and needs no register for the product.
template <class F>
inline constexpr bool fuses_multiply_add =
#if defined(__wasm_relaxed_simd__) || defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
    true;
#else
    false;
#endif

/// a * b + c; fused where that costs nothing.
template <class F>
inline F multiply_add(F a, F b, F c) noexcept {
#ifdef __wasm_relaxed_simd__
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}

/// The same number in every lane.
template <class F>
inline F splat(const float* x) noexcept {
#ifdef __wasm_simd128__
  return wasm_v128_load32_splat(x);
#else
  return F(*x);
#endif
}

/// A constant in every lane, for loops. `stored` has a place in memory for good.
/// V8 builds a vector constant anew at each use, by four instructions; reading it takes one. The empty asm keeps it unknown until then.
template <class Batch>
inline Batch constant(const typename Batch::value_type& stored) noexcept {
#ifdef __wasm_simd128__
  const auto* place = &stored;
  asm("" : "+r"(place));
  if constexpr (sizeof stored == 1) return wasm_v128_load8_splat(place);
  return wasm_v128_load32_splat(place);
#else
  return Batch(stored);
#endif
}
template <class Batch>
Batch constant(typename Batch::value_type&& temporary) = delete;

/// x, but `limit` where x is above (below) it. NaN stays NaN: like those of std, xsimd's functions give the first operand then.
template <class F>
inline F at_most(F x, F limit) noexcept {
  return xsimd::min(x, limit);
}
template <class F>
inline F at_least(F x, F limit) noexcept {
  return xsimd::max(x, limit);
}

/// The first `count` numbers, fewer than a batch; the other lanes are `rest`.
template <class F>
inline F load_part(const float* x, std::int64_t count, float rest = 0) noexcept {
  alignas(64) float buffer[F::size];
  for (std::int64_t i = 0; i < lanes<F>; ++i) buffer[i] = i < count ? x[i] : rest;
  return F::load_aligned(buffer);
}
template <class F>
inline void store_part(F value, float* y, std::int64_t count) noexcept {
  alignas(64) float buffer[F::size];
  value.store_aligned(buffer);
  for (std::int64_t i = 0; i < count; ++i) y[i] = buffer[i];
}

/// y_i = f(x_i, …) for every i below `count`, in batches; y may be one of the inputs.
template <class F, class Function, class... Inputs>
inline void map_row(std::int64_t count, float* y, Function f, const Inputs*... x) noexcept {
  std::int64_t i = 0;
  for (; i + 2 * lanes<F> <= count; i += 2 * lanes<F>) {  // two at a time, to read the constants of f once for both
    const F first = f(F::load_unaligned(x + i)...), second = f(F::load_unaligned(x + i + lanes<F>)...);
    first.store_unaligned(y + i);
    second.store_unaligned(y + i + lanes<F>);
  }
  for (; i < count; i += lanes<F>) store_part<F>(f(load_part<F>(x + i, count - i)...), y + i, std::min(count - i, lanes<F>));
}

/// combine(…, f(x_i, …)) for every i below `count`, started from `neutral` in each lane; `rest` fills up the last batch.
template <class F, class Function, class Combine>
inline F reduce_row(std::int64_t count, const float* x, F neutral, float rest, Combine combine, Function f) noexcept {
  F a = neutral, b = neutral, c = neutral, d = neutral;  // four chains hide the latency of `combine`
  std::int64_t i = 0;
  for (; i + 4 * lanes<F> <= count; i += 4 * lanes<F>) {
    a = combine(a, f(F::load_unaligned(x + i)));
    b = combine(b, f(F::load_unaligned(x + i + lanes<F>)));
    c = combine(c, f(F::load_unaligned(x + i + 2 * lanes<F>)));
    d = combine(d, f(F::load_unaligned(x + i + 3 * lanes<F>)));
  }
  for (; i + lanes<F> <= count; i += lanes<F>) a = combine(a, f(F::load_unaligned(x + i)));
  if (i < count) b = combine(b, f(load_part<F>(x + i, count - i, rest)));
  return combine(combine(a, b), combine(c, d));
}

/// The sum of f(x_i); f(rest) must be 0.
template <class F, class Function>
inline float sum_row(std::int64_t count, const float* x, float rest, Function f) noexcept {
  return xsimd::reduce_add(reduce_row<F>(count, x, F(0.f), rest, [](F a, F b) { return a + b; }, f));
}

/// The sum of a_i b_i.
template <class F>
inline float dot_row(std::int64_t count, const float* a, const float* b) noexcept {
  F sum(0.f), other_sum(0.f);
  std::int64_t i = 0;
  for (; i + 2 * lanes<F> <= count; i += 2 * lanes<F>) {
    sum = multiply_add(F::load_unaligned(a + i), F::load_unaligned(b + i), sum);
    other_sum = multiply_add(F::load_unaligned(a + i + lanes<F>), F::load_unaligned(b + i + lanes<F>), other_sum);
  }
  for (; i < count; i += lanes<F>) sum = multiply_add(load_part<F>(a + i, count - i), load_part<F>(b + i, count - i), sum);
  return xsimd::reduce_add(sum + other_sum);
}

/// The largest number of a row, NaN aside; -inf for an empty one.
template <class F>
inline float max_row(std::int64_t count, const float* x) noexcept {
  constexpr float lowest = -std::numeric_limits<float>::infinity();
  const F largest = reduce_row<F>(count, x, F(lowest), lowest, [](F a, F b) { return at_least(a, b); }, [](F v) { return v; });
  return xsimd::reduce_max(largest);
}

}  // namespace webformer
