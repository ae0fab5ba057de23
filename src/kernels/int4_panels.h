#pragma once
// Weights as 4-bit integers with a scale and a zero for each group of 32 along a row, inputs as signed bytes with a scale for each group.
//
// A panel: for each group the bytes, each with the weight of one input in its low half and of the input four further in its high half,
// then the scales and the zeros of the outputs as halves:
//   y_n = sum over groups of x_scale * scale_n * (sum_k q_nk * x_k - zero_n * sum_k x_k)
// where the sums are exact integers.

#include "kernels/quantize_weights.h"
#include "kernels/quantized_input.h"
#include "kernels/simd_half.h"

namespace webformer {

template <class Dot>
struct Int4Panels {
  using Batch = typename Dot::Batch;
  using F = Batch;
  static constexpr std::int64_t group = 32;
  static constexpr int tile_rows = Dot::tile_rows;
  static constexpr std::int64_t depth_block = 1024;
  using Input = QuantizedInput<Dot, group, group>;

  static std::int64_t panel_bytes(std::int64_t cols) noexcept { return Input::groups(cols) * group_bytes; }

  static void write(std::byte* panel, std::int64_t cols, std::int64_t lane, const float* row) noexcept {
    for (std::int64_t first = 0; first < cols; first += group, panel += group_bytes) {
      std::uint8_t q[group] = {};
      const Int4Group about = quantize_4bit(row + first, std::min(group, cols - first), q);
      halves(panel)[lane] = about.scale;
      halves(panel)[width + lane] = about.zero;
      for (std::int64_t k = 0; k < group; k += 8)
        for (std::int64_t i = 0; i < 4; ++i) panel[byte_of(lane, k + i)] = std::byte(q[k + i] | q[k + i + 4] << 4);
    }
  }

  static void read(const std::byte* panel, std::int64_t cols, std::int64_t lane, float* out) noexcept {
    for (std::int64_t k = 0; k < cols; ++k) {
      const std::byte* from = panel + k / group * group_bytes;
      const int both = std::to_integer<int>(from[byte_of(lane, k % group)]);
      out[k] = Int4Group{halves(from)[lane], halves(from)[width + lane]}.value(k / 4 % 2 ? both >> 4 : both & 15);
    }
  }

  static std::int64_t input_bytes(std::int64_t depth) noexcept { return Input::bytes(depth); }
  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input) noexcept {
    Input::pack(x, first, depth, input, [](const float* from, std::int64_t count, std::int8_t* q) {
      const Quantized about = quantize_8bit(from, count, q);
      return InputFactors{about.scale, about.sum};
    });
  }

  template <int Rows, int Batches>
  static void multiply(const std::byte* input, const std::byte* panel, std::int64_t cols, std::int64_t first, std::int64_t depth,
                       Sums<F, Rows, Batches>& total) noexcept {
    Sums<F, Rows, Batches> sums = total;
    const std::int64_t stride = panel_bytes(cols);
    const std::byte* w = panel + first / group * group_bytes;
    for (std::int64_t g = 0; g < Input::groups(depth); ++g, w += group_bytes) {
      const auto dots = dot<Rows, Batches>(Input::steps(input, Rows, depth, g), reinterpret_cast<const std::int8_t*>(w), stride);
      const InputFactors* x = Input::factors(input, Rows, g);
      unroll<Batches>([&](auto v) {
        const std::uint16_t* about = halves(w + v / 2 * stride) + v % 2 * lanes<F>;
        const F scale = load_halves<F>(about), zero = load_halves<F>(about + width);
        unroll<Rows>([&](auto r) {
          const F exact = xsimd::batch_cast<float>(Dot::total(dots[r][v])) - splat<F>(&x[r].offset) * zero;
          sums[r][v] = multiply_add(splat<F>(&x[r].scale), exact * scale, sums[r][v]);
        });
      });
    }
    total = sums;
  }

 private:
  static constexpr std::int64_t width = panel_width<F>;
  static constexpr std::int64_t group_bytes = group / 2 * width + 2 * width * std::int64_t(sizeof(std::uint16_t));

  static std::uint16_t* halves(std::byte* panel) noexcept { return reinterpret_cast<std::uint16_t*>(panel + group / 2 * width); }
  static const std::uint16_t* halves(const std::byte* panel) noexcept {
    return reinterpret_cast<const std::uint16_t*>(panel + group / 2 * width);
  }
  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept {
    return k / 8 * 4 * width + lane / lanes<F> * 4 * lanes<F> + Dot::byte_of(lane % lanes<F>, k % 4);
  }

  template <int Rows, int Batches>
  static auto dot(const typename Dot::Step* x, const std::int8_t* w, std::int64_t stride) noexcept {
    using Partial = typename Dot::NibbleSums;
    std::array<std::array<Partial, Batches>, Rows> dots;
    unroll<Rows>([&](auto r) { dots[r].fill(Partial(0)); });
    for (std::int64_t steps = 0; steps < group / 8; ++steps, x += 8 * Rows, w += 4 * width) {
      std::array<std::array<typename Dot::Weights, 2>, Batches> weights;
      unroll<Batches>([&](auto v) { weights[v] = Dot::load_nibbles(w + v / 2 * stride + v % 2 * 4 * lanes<F>); });
      unroll<Rows>([&](auto r) {
        const auto even = Dot::splat(x + 4 * r), odd = Dot::splat(x + 4 * (Rows + r));
        unroll<Batches>([&](auto v) {
          dots[r][v] = Dot::add_nibbles(weights[v][1], odd, Dot::add_nibbles(weights[v][0], even, dots[r][v]));
        });
      });
    }
    return dots;
  }
};

}  // namespace webformer
