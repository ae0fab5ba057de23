// y = x W^T + b: blocks of rows, inputs and panels around the formats' inner kernels (Goto & van de Geijn 2008).

#include "kernels/formats.h"
#include "kernels/row_tiles.h"

namespace webformer {

namespace {

/// Rows that are packed at a time: with depth_block they fit the second-level cache.
constexpr std::int64_t row_block = 192;

/// What one pass over a block of inputs needs to know.
struct Target {
  Matrix y;
  const float* bias;
  bool first;  // the first block of inputs sets y, the others add to it
};

template <class F, int Rows, int Batches>
inline void store(const Sums<F, Rows, Batches>& sums, std::int64_t row, std::int64_t col, const Target& target) noexcept {
  const std::int64_t left = target.y.cols - col;
  unroll<Batches>([&](auto v) {
    const std::int64_t offset = v * lanes<F>, count = std::min(left - offset, lanes<F>);
    if (count <= 0) return;
    const float* bias = target.bias ? target.bias + col + offset : nullptr;
    unroll<Rows>([&](auto r) {
      float* y = target.y.row(row + r) + col + offset;
      const float* before = target.first ? bias : y;
      if (count == lanes<F>) {
        (before ? sums[r][v] + F::load_unaligned(before) : sums[r][v]).store_unaligned(y);
      } else {
        store_part<F>(before ? sums[r][v] + load_part<F>(before, count) : sums[r][v], y, count);
      }
    });
  });
}

template <class Format, int Rows, int Panels>
inline void multiply_tile(const std::byte* input, const std::byte* panel, std::int64_t cols, std::int64_t first, std::int64_t depth,
                          std::int64_t row, std::int64_t col, const Target& target) noexcept {
  using F = typename Format::Batch;
  Sums<F, Rows, 2 * Panels> sums;
  unroll<Rows>([&](auto r) { sums[r].fill(F(0.f)); });
  Format::template multiply<Rows, 2 * Panels>(input, panel, cols, first, depth, sums);
  store<F, Rows, 2 * Panels>(sums, row, col, target);
}

/// One tile alone reads each weight once: several panels at a time keep enough sums in flight.
template <class Format>
void multiply_one_tile(const std::byte* input, const PackedWeights& w, std::int64_t first, std::int64_t depth, const Target& target) noexcept {
  constexpr std::int64_t width = panel_width<typename Format::Batch>;
  const std::int64_t panel_bytes = Format::panel_bytes(w.cols());
  with_rows<Format::tile_rows>(target.y.rows, [&](auto rows) {
    constexpr int panels = rows == 1 ? 4 : rows == 2 ? 2 : 1;
    const std::byte* panel = w.data();
    std::int64_t col = 0;
    for (; col + (panels - 1) * width < w.rows(); col += panels * width, panel += panels * panel_bytes)
      multiply_tile<Format, rows, panels>(input, panel, w.cols(), first, depth, 0, col, target);
    for (; col < w.rows(); col += width, panel += panel_bytes)
      multiply_tile<Format, rows, 1>(input, panel, w.cols(), first, depth, 0, col, target);
  });
}

template <class Format>
void multiply_tiles(const std::byte* input, const Tiles& tiles, const PackedWeights& w, std::int64_t first, std::int64_t depth,
                    const Target& target, float* unpacked) noexcept {
  constexpr std::int64_t width = panel_width<typename Format::Batch>;
  const std::int64_t panel_bytes = Format::panel_bytes(w.cols()), row_bytes = Format::input_bytes(depth);
  const std::byte* panel = w.data();
  for (std::int64_t col = 0; col < w.rows(); col += width, panel += panel_bytes) {
    if constexpr (requires { typename Format::Unpacked; }) Format::unpack(panel, first, depth, unpacked);
    for (std::int64_t i = 0; i < tiles.count; ++i) {
      const std::int64_t row = tiles.first_row(i);
      with_rows<Format::tile_rows>(tiles.rows(i), [&](auto rows) {
        if constexpr (requires { typename Format::Unpacked; }) {
          multiply_tile<typename Format::Unpacked, rows, 1>(input + row * row_bytes, reinterpret_cast<const std::byte*>(unpacked), depth, 0,
                                                            depth, row, col, target);
        } else {
          multiply_tile<Format, rows, 1>(input + row * row_bytes, panel, w.cols(), first, depth, row, col, target);
        }
      });
    }
  }
}

template <class Format>
void multiply(ConstMatrix x, const PackedWeights& w, const float* bias, Matrix y, Workspace& workspace) {
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
      const Target target{y.rows_from(row, count), bias, first == 0};
      if (tiles.count == 1) {
        multiply_one_tile<Format>(input, w, first, depth, target);
      } else {
        multiply_tiles<Format>(input, tiles, w, first, depth, target, unpacked);
      }
      first += depth;
    } while (first < x.cols);
  }
}

}  // namespace

void linear(ConstMatrix x, const PackedWeights& weights, const float* bias, Matrix y, Workspace& workspace) {
  with_format<Floats>(weights.type(), [&](auto format) { multiply<decltype(format)>(x, weights, bias, y, workspace); });
}

}  // namespace webformer
