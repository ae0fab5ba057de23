#pragma once
// A tile of quantized rows: for each group the factors of every row, then the numbers, four inputs of every row a step.

#include <algorithm>

#include "kernels/panels.h"
#include "kernels/quantize.h"
#include "kernels/simd_dot.h"

namespace webformer {

/// Of one row and one group of inputs; the format says what `offset` is.
struct InputFactors {
  float scale, offset;
};

/// Inputs are filled up with zeros to a multiple of `Multiple`.
template <class Dot, std::int64_t Group, std::int64_t Multiple>
struct QuantizedInput {
  using Step = typename Dot::Step;
  static_assert(Group % Multiple == 0 && Multiple % 4 == 0);

  static std::int64_t groups(std::int64_t depth) noexcept { return (depth + Group - 1) / Group; }
  static std::int64_t bytes(std::int64_t depth) noexcept {
    return groups(depth) * std::int64_t(sizeof(InputFactors)) + round_up(depth, Multiple) * std::int64_t(sizeof(Step));
  }

  /// The factors of `rows` packed rows in group `g`.
  static const InputFactors* factors(const std::byte* input, std::int64_t rows, std::int64_t g) noexcept {
    return reinterpret_cast<const InputFactors*>(input) + g * rows;
  }
  /// The first step of group `g` of `rows` packed rows.
  static const Step* steps(const std::byte* input, std::int64_t rows, std::int64_t depth, std::int64_t g) noexcept {
    return reinterpret_cast<const Step*>(input + groups(depth) * rows * std::int64_t(sizeof(InputFactors))) + g * Group * rows;
  }

  /// quantize(x, count, q) gives the factors of a group.
  template <class Quantize>
  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input, Quantize quantize) noexcept {
    std::int8_t q[Group];
    for (std::int64_t g = 0; g < groups(depth); ++g) {
      const std::int64_t count = std::min(Group, depth - g * Group), padded = round_up(count, Multiple);
      auto* about = const_cast<InputFactors*>(factors(input, x.rows, g));
      auto* to = const_cast<Step*>(steps(input, x.rows, depth, g));
      for (std::int64_t row = 0; row < x.rows; ++row) {
        about[row] = quantize(x.row(row) + first + g * Group, count, q);
        std::fill(q + count, q + padded, std::int8_t(0));
        for (std::int64_t k = 0; k < padded; k += 4) Dot::store_step(q + k, to + k * x.rows + row * 4);
      }
    }
  }
};

}  // namespace webformer
