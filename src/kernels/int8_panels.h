#pragma once
// Weights as signed bytes with one scale a row, inputs as 7-bit integers with a scale and a zero for each group of them.
//
// A panel: the scales of its outputs, then for each group the bytes of four inputs at a time, and the sums of the group's bytes:
//   y_n = scale_n * sum over groups of x_scale * (sum_k q_nk * x_k - x_zero * sum_k q_nk)
// where the bracket is an exact integer.

#include "kernels/quantize_weights.h"
#include "kernels/quantized_input.h"

namespace webformer {

template <class Dot>
struct Int8Panels {
  using Batch = typename Dot::Batch;
  using F = Batch;
  static constexpr std::int64_t group = 128;
  static constexpr int tile_rows = Dot::tile_rows;
  static constexpr std::int64_t depth_block = 1024;
  using Input = QuantizedInput<Dot, group, 4>;

  static std::int64_t panel_bytes(std::int64_t cols) noexcept {
    return group_offset(0) + Input::groups(cols) * sums_bytes + round_up(cols, 4) * width;
  }

  static void write(std::byte* panel, std::int64_t cols, std::int64_t lane, const float* row) noexcept {
    const float scale = int8_scale(row, cols);
    reinterpret_cast<float*>(panel)[lane] = scale;
    for (std::int64_t first = 0; first < cols; first += group) {
      auto* bytes = reinterpret_cast<std::int8_t*>(panel + group_offset(first / group));
      const std::int64_t count = std::min(group, cols - first);
      std::int8_t q[group];
      reinterpret_cast<float*>(bytes + round_up(count, 4) * width)[lane] = quantize_by(scale, row + first, count, q);
      for (std::int64_t k = 0; k < count; ++k) bytes[byte_of(lane, k)] = q[k];
    }
  }

  static void read(const std::byte* panel, std::int64_t cols, std::int64_t lane, float* out) noexcept {
    const float scale = reinterpret_cast<const float*>(panel)[lane];
    for (std::int64_t k = 0; k < cols; ++k) {
      const auto* bytes = reinterpret_cast<const std::int8_t*>(panel + group_offset(k / group));
      out[k] = scale * float(bytes[byte_of(lane, k % group)]);
    }
  }

  static std::int64_t input_bytes(std::int64_t depth) noexcept { return Input::bytes(depth); }
  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input) noexcept {
    Input::pack(x, first, depth, input, [](const float* from, std::int64_t count, std::int8_t* q) {
      const Quantized about = quantize_7bit(from, count, q);
      return InputFactors{about.scale, about.zero};
    });
  }

  template <int Rows, int Batches>
  static void multiply(const std::byte* input, const std::byte* panel, std::int64_t cols, std::int64_t first, std::int64_t depth,
                       Sums<F, Rows, Batches>& total) noexcept {
    Sums<F, Rows, Batches> sums = total;
    const std::int64_t stride = panel_bytes(cols);
    for (std::int64_t g = 0; g < Input::groups(depth); ++g) {
      const std::int64_t steps = (std::min(group, depth - g * group) + 3) / 4;
      const auto* w = reinterpret_cast<const std::int8_t*>(panel + group_offset(first / group + g));
      const Sums<Int, Rows, Batches> dots = dot<Rows, Batches>(Input::steps(input, Rows, depth, g), w, stride, steps);
      const auto* weight_sums = reinterpret_cast<const float*>(w + steps * 4 * width);
      const InputFactors* x = Input::factors(input, Rows, g);
      unroll<Batches>([&](auto v) {
        const F weight_sum = F::load_unaligned(batch_start<F>(weight_sums, stride, v));
        unroll<Rows>([&](auto r) {
          const F exact = xsimd::batch_cast<float>(dots[r][v]) - splat<F>(&x[r].offset) * weight_sum;
          sums[r][v] = multiply_add(splat<F>(&x[r].scale), exact, sums[r][v]);
        });
      });
    }
    unroll<Batches>([&](auto v) {
      const F scale = F::load_unaligned(batch_start<F>(reinterpret_cast<const float*>(panel), stride, v));
      unroll<Rows>([&](auto r) { sums[r][v] = sums[r][v] * scale; });
    });
    total = sums;
  }

 private:
  using Int = Ints<typename F::arch_type>;
  static constexpr std::int64_t width = panel_width<F>;
  static constexpr std::int64_t sums_bytes = width * std::int64_t(sizeof(float));

  static constexpr std::int64_t group_offset(std::int64_t g) noexcept {
    return width * std::int64_t(sizeof(float)) + g * (group * width + sums_bytes);
  }
  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept {
    return k / 4 * 4 * width + lane / lanes<F> * 4 * lanes<F> + Dot::byte_of(lane % lanes<F>, k % 4);
  }

  template <int Rows, int Batches>
  static Sums<Int, Rows, Batches> dot(const typename Dot::Step* x, const std::int8_t* w, std::int64_t stride, std::int64_t steps) noexcept {
    Sums<Int, Rows, Batches> dots;
    unroll<Rows>([&](auto r) { dots[r].fill(Int(0)); });
    for (std::int64_t step = 0; step < steps; ++step, x += 4 * Rows, w += 4 * width) {
      std::array<typename Dot::Weights, Batches> weights;
      unroll<Batches>([&](auto v) { weights[v] = Dot::load(w + v / 2 * stride + v % 2 * 4 * lanes<F>); });
      unroll<Rows>([&](auto r) {
        const auto four = Dot::splat(x + 4 * r);
        unroll<Batches>([&](auto v) { dots[r][v] = Dot::add(weights[v], four, dots[r][v]); });
      });
    }
    return dots;
  }
};

}  // namespace webformer
