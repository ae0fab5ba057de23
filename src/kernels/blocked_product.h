#pragma once
// Products of matrices by blocks of rows, inputs and panels around the formats' inner kernels (Goto & van de Geijn 2008).

#include "core/workspace.h"
#include "kernels/panels.h"
#include "kernels/row_tiles.h"

namespace webformer {

/// Rows that are packed at a time: with depth_block they fit the second-level cache.
inline constexpr std::int64_t row_block = 192;

/// W: [outputs, inputs] in panels.
struct PanelsView {
  const std::byte* data;
  std::int64_t outputs, inputs;
};

/// One tile of rows times one or more panels.
struct TileCall {
  const std::byte* input;
  const std::byte* panel;
  std::int64_t cols, first, depth;  // of the weights; the block of inputs
  Matrix y;                         // the tile's rows, from the panel's first output on
  const float* bias;                // from the panel's first output on, or null
  bool adds;                        // to y
};

/// y = sums + bias, or y += sums.
template <class F, int Rows, int Batches>
inline void store_sums(const Sums<F, Rows, Batches>& sums, const TileCall& call) noexcept {
  unroll<Batches>([&](auto v) {
    const std::int64_t offset = v * lanes<F>, count = std::min(call.y.cols - offset, lanes<F>);
    if (count <= 0) return;
    unroll<Rows>([&](auto r) {
      float* y = call.y.row(r) + offset;
      const float* before = call.adds ? y : call.bias ? call.bias + offset : nullptr;
      if (count == lanes<F>) {
        (before ? sums[r][v] + F::load_unaligned(before) : sums[r][v]).store_unaligned(y);
      } else {
        store_part<F>(before ? sums[r][v] + load_part<F>(before, count) : sums[r][v], y, count);
      }
    });
  });
}

/// Flattened: a lambda that is not inlined would put the sums into memory.
template <class Format, int Rows, int Panels>
[[gnu::flatten]] void multiply_tile(const TileCall& call) noexcept {
  using F = typename Format::Batch;
  Sums<F, Rows, 2 * Panels> sums;
  unroll<Rows>([&](auto r) { sums[r].fill(F(0.f)); });
  Format::template multiply<Rows, 2 * Panels>(call.input, call.panel, call.cols, call.first, call.depth, sums);
  store_sums<F, Rows, 2 * Panels>(sums, call);
}

/// Few rows take several panels at a time: enough sums in flight to hide the latency of an addition.
constexpr int panels_for(int rows) noexcept { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

/// The kernels of a format by the number of rows less one. Called through pointers, each stays a function of its own, which engines
/// of WebAssembly compile sooner and better than one with all of them in it.
template <class Format>
struct TileKernels {
  using Kernel = void (*)(const TileCall&) noexcept;
  using Table = std::array<Kernel, Format::tile_rows>;

  template <int... I>
  static constexpr Table one_panel(std::integer_sequence<int, I...>) noexcept {
    return {multiply_tile<Format, I + 1, 1>...};
  }
  template <int... I>
  static constexpr Table more_panels(std::integer_sequence<int, I...>) noexcept {
    return {multiply_tile<Format, I + 1, panels_for(I + 1)>...};
  }

  static constexpr Table narrow = one_panel(std::make_integer_sequence<int, Format::tile_rows>());
  static constexpr Table wide = more_panels(std::make_integer_sequence<int, Format::tile_rows>());
};

/// The inputs of one block, packed, and what they are multiplied with and added to.
struct InputBlock {
  const std::byte* input;
  PanelsView weights;
  std::int64_t first, depth;
  Matrix y;
  const float* bias;
  bool adds;
};

template <class F>
TileCall call_for(const InputBlock& block, std::int64_t col, const std::byte* panel) noexcept {
  return {block.input,
          panel,
          block.weights.inputs,
          block.first,
          block.depth,
          block.y.cols_from(col, block.y.cols - col),
          block.bias ? block.bias + col : nullptr,
          block.adds};
}

/// One tile alone reads every weight once.
template <class Format>
void multiply_one_tile(const InputBlock& block) noexcept {
  using F = typename Format::Batch;
  const std::int64_t panel_bytes = Format::panel_bytes(block.weights.inputs), rows = block.y.rows, outputs = block.y.cols;
  const std::int64_t panels = panels_for(int(rows));
  const std::byte* panel = block.weights.data;
  std::int64_t col = 0;
  for (; col + (panels - 1) * panel_width<F> < outputs; col += panels * panel_width<F>, panel += panels * panel_bytes)
    TileKernels<Format>::wide[std::size_t(rows - 1)](call_for<F>(block, col, panel));
  for (; col < outputs; col += panel_width<F>, panel += panel_bytes)
    TileKernels<Format>::narrow[std::size_t(rows - 1)](call_for<F>(block, col, panel));
}

/// Several tiles are multiplied with one panel after the other, which stays in the first-level cache meanwhile.
template <class Format>
void multiply_tiles(const InputBlock& block, const Tiles& tiles, float* unpacked) noexcept {
  using F = typename Format::Batch;
  const std::int64_t panel_bytes = Format::panel_bytes(block.weights.inputs), row_bytes = Format::input_bytes(block.depth);
  const std::byte* panel = block.weights.data;
  for (std::int64_t col = 0; col < block.y.cols; col += panel_width<F>, panel += panel_bytes) {
    if constexpr (requires { typename Format::Unpacked; }) Format::unpack(panel, block.first, block.depth, unpacked);
    for (std::int64_t i = 0; i < tiles.count; ++i) {
      TileCall call = call_for<F>(block, col, panel);
      call.input += tiles.first_row(i) * row_bytes;
      call.y = call.y.rows_from(tiles.first_row(i), tiles.rows(i));
      if constexpr (requires { typename Format::Unpacked; }) {
        call.panel = reinterpret_cast<const std::byte*>(unpacked);
        call.first = 0;
        TileKernels<typename Format::Unpacked>::narrow[std::size_t(tiles.rows(i) - 1)](call);
      } else {
        TileKernels<Format>::narrow[std::size_t(tiles.rows(i) - 1)](call);
      }
    }
  }
}

/// y = x W^T + bias, or y += x W^T.
template <class Format>
void multiply_blocks(ConstMatrix x, PanelsView w, const float* bias, Matrix y, bool adds, Workspace& workspace) {
  Scope scope(workspace);
  const std::int64_t most_rows = std::min(x.rows, row_block), most_depth = std::min(x.cols, Format::depth_block);
  auto* input = workspace.allocate<std::byte>(most_rows * Format::input_bytes(most_depth));
  float* unpacked = nullptr;
  if constexpr (requires { typename Format::Unpacked; }) {
    if (x.rows > Format::tile_rows) unpacked = workspace.allocate<float>(most_depth * panel_width<typename Format::Batch>);
  }

  for (std::int64_t row = 0; row < x.rows; row += row_block) {
    const std::int64_t count = std::min(row_block, x.rows - row);
    const Tiles tiles(count, Format::tile_rows);
    std::int64_t first = 0;
    do {  // once even without inputs, to write the bias
      const std::int64_t depth = std::min(Format::depth_block, x.cols - first);
      for (std::int64_t i = 0; i < tiles.count; ++i) {
        Format::pack(x.rows_from(row + tiles.first_row(i), tiles.rows(i)), first, depth,
                     input + tiles.first_row(i) * Format::input_bytes(depth));
      }
      const InputBlock block{input, w, first, depth, y.rows_from(row, count), bias, adds || first > 0};
      if (tiles.count == 1) {
        multiply_one_tile<Format>(block);
      } else {
        multiply_tiles<Format>(block, tiles, unpacked);
      }
      first += depth;
    } while (first < x.cols);
  }
}

}  // namespace webformer
