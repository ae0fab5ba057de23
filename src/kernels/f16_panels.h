#pragma once
// Weights kept as IEEE halves: [K][panel_width]. One tile widens them in registers; for several, a panel is widened once.

#include "core/half.h"
#include "kernels/f32_panels.h"
#include "kernels/simd_half.h"

namespace webformer {

template <class F>
struct F16Panels {
  using Batch = F;
  using Unpacked = F32Panels<F>;
  static constexpr int tile_rows = Unpacked::tile_rows;
  static constexpr std::int64_t depth_block = Unpacked::depth_block;

  static std::int64_t panel_bytes(std::int64_t cols) noexcept { return cols * panel_width<F> * std::int64_t(sizeof(std::uint16_t)); }

  static void write(std::byte* panel, std::int64_t cols, std::int64_t lane, const float* row) noexcept {
    auto* to = reinterpret_cast<std::uint16_t*>(panel) + lane;
    for (std::int64_t k = 0; k < cols; ++k) to[k * panel_width<F>] = float_to_half(row[k]);
  }
  static void read(const std::byte* panel, std::int64_t cols, std::int64_t lane, float* out) noexcept {
    const auto* from = reinterpret_cast<const std::uint16_t*>(panel) + lane;
    for (std::int64_t k = 0; k < cols; ++k) out[k] = half_to_float(from[k * panel_width<F>]);
  }

  static std::int64_t input_bytes(std::int64_t depth) noexcept { return Unpacked::input_bytes(depth); }
  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input) noexcept {
    Unpacked::pack(x, first, depth, input);
  }

  /// Inputs [first, first + depth) of a panel as floats, for Unpacked::multiply.
  static void unpack(const std::byte* panel, std::int64_t first, std::int64_t depth, float* out) noexcept {
    const auto* w = reinterpret_cast<const std::uint16_t*>(panel) + first * panel_width<F>;
    for (std::int64_t i = 0; i < depth * panel_width<F>; i += lanes<F>) load_halves<F>(w + i).store_unaligned(out + i);
  }

  template <int Rows, int Batches>
  static void multiply(const std::byte* input, const std::byte* panel, std::int64_t cols, std::int64_t first, std::int64_t depth,
                       Sums<F, Rows, Batches>& total) noexcept {
    Sums<F, Rows, Batches> sums = total;
    const auto* x = reinterpret_cast<const float*>(input);
    const auto* w = reinterpret_cast<const std::uint16_t*>(panel) + first * panel_width<F>;
    const std::int64_t stride = panel_bytes(cols);
    for (std::int64_t k = 0; k < depth; ++k, x += Rows, w += panel_width<F>) {
      unroll<Batches>([&](auto v) {
        const F weights = load_halves<F>(batch_start<F>(w, stride, v));
        unroll<Rows>([&](auto r) { sums[r][v] = multiply_add(splat<F>(x + r), weights, sums[r][v]); });
      });
    }
    total = sums;
  }
};

}  // namespace webformer
