#include "kernels/self_test.h"

#include <cmath>

#include "kernels/simd_dot.h"

namespace webformer {

namespace {

using F = Floats;
using Int = IntsOf<F>;

constexpr int steps = 512;

/// A sequence without pattern (the generator of Numerical Recipes), so that an error of sign, order or saturation shows.
struct Sequence {
  std::uint32_t state = 1;
  std::int32_t below(std::int32_t bound) noexcept {
    state = state * 1664525u + 1013904223u;
    return std::int32_t((state >> 8) % std::uint32_t(bound));
  }
};

bool equal(Int got, const std::int32_t* want) noexcept {
  alignas(64) std::int32_t numbers[Int::size];
  got.store_aligned(numbers);
  return std::memcmp(numbers, want, sizeof numbers) == 0;
}

/// Signed bytes, -128 too, times 0..127.
template <class Dot>
bool bytes_are_right() noexcept {
  Sequence sequence;
  Int sums(0);
  std::int32_t want[Int::size] = {};
  for (int step = 0; step < steps; ++step) {
    std::int8_t weights[Dot::inputs * Int::size];
    typename Dot::Step input[Dot::inputs];
    for (auto& v : input) v = typename Dot::Step(sequence.below(128));
    for (std::int64_t lane = 0; lane < lanes<F>; ++lane) {
      for (std::int64_t k = 0; k < Dot::inputs; ++k) {
        const std::int32_t weight = sequence.below(256) - 128;
        weights[Dot::byte_of(lane, k)] = std::int8_t(weight);
        want[lane] += weight * input[k];
      }
    }
    sums = Dot::add(Dot::load(weights), Dot::splat(input), sums);
  }
  return equal(sums, want);
}

/// 4-bit weights times signed bytes.
template <class Dot>
bool nibbles_are_right() noexcept {
  Sequence sequence;
  Int sums(0);
  std::int32_t want[Int::size] = {};
  for (int step = 0; step < steps; ++step) {
    std::int8_t weights[4 * Int::size];
    typename Dot::Step even[4], odd[4];
    for (auto& v : even) v = typename Dot::Step(sequence.below(255) - 127);
    for (auto& v : odd) v = typename Dot::Step(sequence.below(255) - 127);
    for (std::int64_t lane = 0; lane < lanes<F>; ++lane) {
      for (std::int64_t k = 0; k < 4; ++k) {
        const std::int32_t low = sequence.below(16), high = sequence.below(16);
        weights[Dot::byte_of(lane, k)] = std::int8_t(low | high << 4);
        want[lane] += low * even[k] + high * odd[k];
      }
    }
    const auto both = Dot::load_nibbles(weights);
    typename Dot::NibbleSums partial(0);
    partial = Dot::add_nibbles(both[0], Dot::splat(even), partial);
    partial = Dot::add_nibbles(both[1], Dot::splat(odd), partial);
    sums += Dot::total(partial);
  }
  return equal(sums, want);
}

bool floats_are_right() noexcept {
  Sequence sequence;
  F sums(0.f);
  double want = 0;
  for (int step = 0; step < steps; ++step) {
    alignas(64) float a[F::size], b[F::size];
    for (std::size_t i = 0; i < F::size; ++i) {
      a[i] = float(sequence.below(2000) - 1000) / 1000;
      b[i] = float(sequence.below(2000) - 1000) / 1000;
      want += double(a[i]) * b[i];
    }
    sums = multiply_add(F::load_aligned(a), F::load_aligned(b), sums);
  }
  return std::abs(double(xsimd::reduce_add(sums)) - want) < 1e-3;
}

}  // namespace

std::string_view simd_build() noexcept {
#ifdef __wasm_relaxed_simd__
  return "relaxed-simd";
#else
  return "simd";
#endif
}

bool simd_self_test() noexcept {
  return with_dot<F>([](auto dot) { return bytes_are_right<decltype(dot)>(); }) &&
         with_nibble_dot<F>([](auto dot) { return nibbles_are_right<decltype(dot)>(); }) && floats_are_right();
}

}  // namespace webformer
