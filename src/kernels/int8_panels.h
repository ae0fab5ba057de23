#pragma once
// Weights as signed bytes with a scale for each group of 64 along a row, inputs as integers with a scale and a zero for each row.
//
// A panel: for each block of inputs the sums of its outputs' weights; then for each group the bytes of four inputs at a time, and the
// scales of the outputs:
//   y_n = x_scale * (sum over groups of scale_n * sum_k q_nk * x_k - x_zero * sum over groups of scale_n * sum_k q_nk)
// where the first sum over k is an exact integer.

#include "kernels/bulk_input.h"
#include "kernels/quantize_weights.h"

namespace webformer {

template <class Dot>
struct Int8Panels {
  using Batch = typename Dot::Batch;
  using F = Batch;
  static constexpr std::int64_t group = 64;
  static constexpr int tile_rows = Dot::tile_rows;
  static constexpr std::int64_t depth_block = 1024;
  using Input = BulkInput<Dot, group, depth_block>;

  static std::int64_t panel_bytes(std::int64_t cols) noexcept {
    return (blocks(cols) + Input::groups(cols)) * floats_bytes + round_up(cols, 4) * width;
  }

  static void write(std::byte* panel, std::int64_t cols, std::int64_t lane, const float* row) noexcept {
    auto* sums = reinterpret_cast<float*>(panel);
    for (std::int64_t block = 0; block < blocks(cols); ++block) sums[block * width + lane] = 0;
    for (std::int64_t first = 0; first < cols; first += group) {
      const std::int64_t count = std::min(group, cols - first);
      std::byte* to = group_at(panel, cols, first);
      std::int8_t q[group];
      const float scale = int8_scale(row + first, count);
      sums[first / depth_block * width + lane] += scale * quantize_by(scale, row + first, count, q);
      for (std::int64_t k = 0; k < count; ++k) to[byte_of(lane, k)] = std::byte(q[k]);
      reinterpret_cast<float*>(to + round_up(count, 4) * width)[lane] = scale;
    }
  }

  static void read(const std::byte* panel, std::int64_t cols, std::int64_t lane, float* out) noexcept {
    for (std::int64_t first = 0; first < cols; first += group) {
      const std::int64_t count = std::min(group, cols - first);
      const std::byte* from = group_at(panel, cols, first);
      const float scale = reinterpret_cast<const float*>(from + round_up(count, 4) * width)[lane];
      for (std::int64_t k = 0; k < count; ++k) out[first + k] = scale * float(std::int8_t(from[byte_of(lane, k)]));
    }
  }

  static std::int64_t input_bytes(std::int64_t depth) noexcept { return Input::bytes(depth); }
  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input) noexcept {
    Input::pack(x, first, depth, input);
  }

  template <int Rows, int Batches>
  static void multiply(const std::byte* input, const std::byte* panel, std::int64_t cols, std::int64_t first, std::int64_t depth,
                       Sums<F, Rows, Batches>& total) noexcept {
    Sums<F, Rows, Batches> sums;
    unroll<Rows>([&](auto r) { sums[r].fill(F(0.f)); });
    const std::int64_t stride = panel_bytes(cols);
    const std::byte* at = group_at(panel, cols, first);
    for (std::int64_t g = 0; g < Input::groups(depth); ++g, at += group * width + floats_bytes) {
      const std::int64_t steps = round_up(std::min(group, depth - g * group), 4) / per;
      const auto* w = reinterpret_cast<const std::int8_t*>(at);
      const Sums<Int, Rows, Batches> dots = dot<Rows, Batches>(input, depth, g, w, stride, steps);
      const auto* scales = reinterpret_cast<const float*>(w + steps * per * width);
      unroll<Batches>([&](auto v) {
        const F scale = F::load_unaligned(batch_start<F>(scales, stride, v));
        unroll<Rows>([&](auto r) { sums[r][v] = multiply_add(xsimd::batch_cast<float>(dots[r][v]), scale, sums[r][v]); });
      });
    }
    const auto* weight_sums = reinterpret_cast<const float*>(panel) + first / depth_block * width;
    const auto* x = Input::factors(input);
    unroll<Batches>([&](auto v) {
      const F weight_sum = F::load_unaligned(batch_start<F>(weight_sums, stride, v));
      unroll<Rows>([&](auto r) {
        total[r][v] = multiply_add(splat<F>(&x[r].scale), sums[r][v] - splat<F>(&x[r].zero) * weight_sum, total[r][v]);
      });
    });
  }

 private:
  using Int = Ints<typename F::arch_type>;
  static constexpr std::int64_t width = panel_width<F>, per = Dot::inputs;
  static constexpr std::int64_t floats_bytes = width * std::int64_t(sizeof(float));

  /// At least one: a product of no inputs reads the sums of its first block, too.
  static std::int64_t blocks(std::int64_t cols) noexcept { return std::max<std::int64_t>(1, (cols + depth_block - 1) / depth_block); }
  /// Where the group that begins with input `first` begins.
  template <class Byte>
  static Byte* group_at(Byte* panel, std::int64_t cols, std::int64_t first) noexcept {
    return panel + blocks(cols) * floats_bytes + first / group * (group * width + floats_bytes);
  }
  static constexpr std::int64_t byte_of(std::int64_t lane, std::int64_t k) noexcept {
    return k / per * per * width + lane / lanes<F> * per * lanes<F> + Dot::byte_of(lane % lanes<F>, k % per);
  }

  /// dots += the products of one step's weights with one step's inputs.
  template <int Rows, int Batches>
  static void add_step(const typename Dot::Step* x, const std::int8_t* w, std::int64_t stride, Sums<Int, Rows, Batches>& dots) noexcept {
    std::array<typename Dot::Weights, Batches> weights;
    unroll<Batches>([&](auto v) { weights[v] = Dot::load(w + v / 2 * stride + v % 2 * per * lanes<F>); });
    unroll<Rows>([&](auto r) {
      const auto input = Dot::splat(x + per * r);
      unroll<Batches>([&](auto v) { dots[r][v] = Dot::add(weights[v], input, dots[r][v]); });
    });
  }

  /// The products of the high parts, times 128. A function of its own: in the same one, engines of WebAssembly would keep the sums of the
  /// other steps in memory.
  template <int Rows, int Batches>
  [[gnu::noinline]] static void dot_outside(const typename Input::Outside& outside, const typename Dot::Step* x, const std::int8_t* w,
                                            std::int64_t stride, Sums<Int, Rows, Batches>& result) noexcept {
    Sums<Int, Rows, Batches> dots;
    unroll<Rows>([&](auto r) { dots[r].fill(Int(0)); });
    std::int32_t i = 0;
    for (; i < outside.below; ++i, x += 4 * Rows) add_step<Rows, Batches>(x, w + outside.at[i] * 4 * width, stride, dots);
    if (i > 0) unroll<Rows>([&](auto r) { unroll<Batches>([&](auto v) { dots[r][v] = Int(0) - dots[r][v]; }); });
    for (; i < outside.below + outside.above; ++i, x += 4 * Rows)
      add_step<Rows, Batches>(x, w + outside.at[i] * 4 * width, stride, dots);
    unroll<Rows>([&](auto r) { unroll<Batches>([&](auto v) { result[r][v] = dots[r][v] << 7; }); });
  }

  template <int Rows, int Batches>
  static Sums<Int, Rows, Batches> dot(const std::byte* input, std::int64_t depth, std::int64_t g, const std::int8_t* w, std::int64_t stride,
                                      std::int64_t steps) noexcept {
    const auto* x = Input::steps(input, Rows, depth, g);
    Sums<Int, Rows, Batches> dots;
    unroll<Rows>([&](auto r) { dots[r].fill(Int(0)); });
    if constexpr (Input::splits) {
      const auto& outside = Input::outside(input, Rows, g);
      if (outside.below + outside.above > 0) {
        Sums<Int, Rows, Batches> start;
        dot_outside<Rows, Batches>(outside, Input::outside_steps(x, Rows), w, stride, start);
        dots = start;
      }
    }
    for (std::int64_t step = 0; step < steps; ++step, x += per * Rows, w += per * width) add_step<Rows, Batches>(x, w, stride, dots);
    return dots;
  }
};

}  // namespace webformer
