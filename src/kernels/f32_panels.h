#pragma once
// Weights kept as floats: [K][panel_width].

#include "kernels/panels.h"
#include "kernels/row_tiles.h"

namespace webformer {

/// Packs a tile of floats: input[k][row] = x[row][first + k].
inline void pack_floats(ConstMatrix x, std::int64_t first, std::int64_t depth, float* input) noexcept {
  with_rows<8>(x.rows, [&](auto rows) {
    std::array<const float*, rows> from;
    unroll<rows>([&](auto r) { from[r] = x.row(r) + first; });
    for (std::int64_t k = 0; k < depth; ++k, input += rows) unroll<rows>([&](auto r) { input[r] = from[r][k]; });
  });
}

/// total[row][v] += sum_k x_k,row * w_k,v, where the number of row r at step k is x[k * Step + r * RowStep].
template <class F, int Rows, int Batches, std::int64_t Step, std::int64_t RowStep>
inline void multiply_floats(const float* x, const float* w, std::int64_t stride, std::int64_t depth,
                            Sums<F, Rows, Batches>& total) noexcept {
  Sums<F, Rows, Batches> sums = total;  // a copy whose address nobody has stays in registers
  for (std::int64_t k = 0; k < depth; ++k, x += Step, w += panel_width<F>) {
    std::array<F, Batches> weights;
    unroll<Batches>([&](auto v) { weights[v] = F::load_unaligned(batch_start<F>(w, stride, v)); });
    unroll<Rows>([&](auto r) {
      const F value = splat<F>(x + r * RowStep);
      unroll<Batches>([&](auto v) { sums[r][v] = multiply_add(value, weights[v], sums[r][v]); });
    });
  }
  total = sums;
}

template <class F>
struct F32Panels {
  using Batch = F;
  static constexpr int tile_rows = fuses_multiply_add<F> ? 6 : 4;  // what 16 registers hold
  static constexpr std::int64_t depth_block = 384;

  static std::int64_t panel_bytes(std::int64_t cols) noexcept { return cols * panel_width<F> * std::int64_t(sizeof(float)); }

  static void write(std::byte* panel, std::int64_t cols, std::int64_t lane, const float* row) noexcept {
    float* to = reinterpret_cast<float*>(panel) + lane;
    for (std::int64_t k = 0; k < cols; ++k) to[k * panel_width<F>] = row[k];
  }
  static void read(const std::byte* panel, std::int64_t cols, std::int64_t lane, float* out) noexcept {
    const float* from = reinterpret_cast<const float*>(panel) + lane;
    for (std::int64_t k = 0; k < cols; ++k) out[k] = from[k * panel_width<F>];
  }

  static std::int64_t input_bytes(std::int64_t depth) noexcept { return depth * std::int64_t(sizeof(float)); }
  static void pack(ConstMatrix x, std::int64_t first, std::int64_t depth, std::byte* input) noexcept {
    pack_floats(x, first, depth, reinterpret_cast<float*>(input));
  }

  template <int Rows, int Batches>
  static void multiply(const std::byte* input, const std::byte* panel, std::int64_t cols, std::int64_t first, std::int64_t depth,
                       Sums<F, Rows, Batches>& sums) noexcept {
    const auto* w = reinterpret_cast<const float*>(panel) + first * panel_width<F>;
    multiply_floats<F, Rows, Batches, Rows, 1>(reinterpret_cast<const float*>(input), w, panel_bytes(cols), depth, sums);
  }
};

}  // namespace webformer
