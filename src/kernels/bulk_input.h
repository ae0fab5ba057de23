#pragma once
// A tile of rows quantized for int8 weights: the 7-bit low parts of its numbers, four inputs of every row a step, and beside them the
// few steps in which a row has a number outside of 0..127. The activations of trained models have outliers some twenty times their usual
// size (Dettmers et al. 2022, LLM.int8()), which would leave one or two bits for the others if they shared a range with them.
// A number is low + 128 * high. For each group of inputs, the steps with negative high parts come first, with their sign turned.

#include <algorithm>
#include <bit>

#include "kernels/panels.h"
#include "kernels/quantize.h"
#include "kernels/simd_dot.h"

namespace webformer {

/// The steps of a group that have high parts.
template <std::int64_t Steps>
struct OutsideSteps {
  std::int32_t below, above;   ///< how many have negative and positive ones
  std::uint8_t at[2 * Steps];  ///< which they are: those below, then those above
};

/// Group: inputs with one list of steps; Most: inputs at a time.
template <class Dot, std::int64_t Group, std::int64_t Most>
struct BulkInput {
  using Step = typename Dot::Step;
  using Outside = OutsideSteps<Group / 4>;
  static_assert(Group % 4 == 0 && Most % Group == 0);

  /// Of one row: x ~ scale * (q - zero).
  struct Factors {
    float scale, zero;
  };

  /// Whether the numbers are split: a step of shorts takes them whole.
  static constexpr bool splits = sizeof(Step) == 1;

  static std::int64_t groups(std::int64_t depth) noexcept { return (depth + Group - 1) / Group; }
  static std::int64_t bytes(std::int64_t depth) noexcept {
    return std::int64_t(sizeof(Factors)) + groups(depth) * (list_bytes + group_steps * 4 * std::int64_t(sizeof(Step)));
  }

  static const Factors* factors(const std::byte* input) noexcept { return reinterpret_cast<const Factors*>(input); }
  static const Outside& outside(const std::byte* input, std::int64_t rows, std::int64_t g) noexcept {
    return reinterpret_cast<const Outside*>(factors(input) + rows)[g];
  }
  /// The first step of group `g` of `rows` packed rows.
  static const Step* steps(const std::byte* input, std::int64_t rows, std::int64_t depth, std::int64_t g) noexcept {
    const std::byte* first = input + rows * std::int64_t(sizeof(Factors)) + groups(depth) * list_bytes;
    return reinterpret_cast<const Step*>(first) + g * group_steps * 4 * rows;
  }
  /// The first one with high parts.
  static const Step* outside_steps(const Step* steps, std::int64_t rows) noexcept { return steps + Group * rows; }

  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input) noexcept {
    alignas(64) std::int16_t q[Dot::tile_rows][Most];
    for (std::int64_t row = 0; row < x.rows; ++row) {
      const Quantized about = quantize_bulk(x.row(row) + first, depth, q[row]);
      const_cast<Factors&>(factors(input)[row]) = {about.scale, about.zero};
      std::fill(q[row] + depth, q[row] + round_up(depth, 4), std::int16_t(0));
    }
    for (std::int64_t g = 0; g < groups(depth); ++g) {
      const std::int64_t end = std::min((g + 1) * Group, round_up(depth, 4));
      auto* to = const_cast<Step*>(steps(input, x.rows, depth, g));
      if constexpr (splits) {
        split(q, x.rows, g * Group, end, to, const_cast<Outside&>(outside(input, x.rows, g)));
      } else {
        for (std::int64_t k = g * Group; k < end; k += Dot::inputs)
          for (std::int64_t row = 0; row < x.rows; ++row, to += Dot::inputs) std::memcpy(to, q[row] + k, Dot::inputs * sizeof(Step));
      }
    }
  }

 private:
  static constexpr std::int64_t list_bytes = splits ? std::int64_t(sizeof(Outside)) : 0;
  /// With room for all steps below and above.
  static constexpr std::int64_t group_steps = (splits ? 3 : 1) * Group / 4;

  static void split(const std::int16_t (*q)[Most], std::int64_t rows, std::int64_t first, std::int64_t end, Step* to,
                    Outside& outside) noexcept {
    Step* high_parts = to + Group * rows;
    std::uint8_t below[Group / 4], above[Group / 4];
    outside.below = outside.above = 0;
    for (std::int64_t k = first; k < end; k += 4) {
      std::uint64_t seen = 0, signs = 0;  // of four shorts
      for (std::int64_t row = 0; row < rows; ++row, to += 4) {
        std::uint64_t four;
        std::memcpy(&four, q[row] + k, sizeof four);
        seen |= four & 0xff80ff80ff80ff80;
        signs |= four;
        store_low(four, to);
      }
      if (seen == 0) continue;
      const auto step = std::uint8_t((k - first) / 4);
      if (signs & 0x8000800080008000) below[outside.below++] = step;
      above[outside.above++] = step;
    }
    std::copy_n(below, outside.below, outside.at);
    std::copy_n(above, outside.above, outside.at + outside.below);
    for (std::int32_t i = 0; i < outside.below + outside.above; ++i) {
      const int sign = i < outside.below ? -1 : 1;
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t j = 0; j < 4; ++j) *high_parts++ = Step(std::max(sign * (q[row][first + outside.at[i] * 4 + j] >> 7), 0));
    }
  }

  /// The low parts of four shorts as bytes.
  static void store_low(std::uint64_t four, Step* to) noexcept {
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t low = four & 0x007f007f007f007f;
      low = (low | low >> 8) & 0x0000ffff0000ffff;
      const auto bytes = std::uint32_t(low | low >> 16);
      std::memcpy(to, &bytes, sizeof bytes);
    } else {
      std::int16_t q[4];
      std::memcpy(q, &four, sizeof q);
      for (int i = 0; i < 4; ++i) to[i] = Step(q[i] & 127);
    }
  }
};

}  // namespace webformer
