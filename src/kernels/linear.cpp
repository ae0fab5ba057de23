#include "kernels/blocked_product.h"
#include "kernels/formats.h"

namespace webformer {

namespace {

/// The outputs from number `first` on, as many as y has columns.
void multiply(ConstMatrix x, const PackedWeights& weights, std::int64_t first, const float* bias, Matrix y, Workspace& workspace) {
  with_format<Floats>(weights.type(), [&](auto format) {
    using Format = decltype(format);
    const std::byte* panels = weights.data() + first / panel_width<Floats> * Format::panel_bytes(weights.cols());
    multiply_blocks<Format>(x, {panels, y.cols, weights.cols()}, bias ? bias + first : nullptr, y, false, workspace);
  });
}

}  // namespace

void linear(ConstMatrix x, const PackedWeights& weights, const float* bias, Matrix y, Workspace& workspace) {
  multiply(x, weights, 0, bias, y, workspace);
}

bool linear_part(ConstMatrix x, const PackedWeights& weights, const float* bias, Matrix y, LinearPlace& at, Workspace& workspace,
                 std::int64_t operations) {
  constexpr std::int64_t several_panels = panels_for(1) * panel_width<Floats>;  // that are multiplied together
  constexpr std::int64_t least_rows = row_block / 4;  // fewer would read the weights too often
  // Each cut of columns packs the inputs once more, so that many of them are cut by rows first.
  const std::int64_t of_row = linear_operations(1, x.cols, y.cols);
  const std::int64_t block = x.cols > y.cols ? std::max(row_block / (row_block * of_row / operations + 1), least_rows) : row_block;
  const std::int64_t rows = std::min(block, x.rows - at.row), parts = rows * of_row / operations + 1;
  const std::int64_t cols = std::min(std::max(round_up(y.cols / parts, several_panels), several_panels), y.cols - at.col);
  multiply(x.rows_from(at.row, rows), weights, at.col, bias, y.rows_from(at.row, rows).cols_from(at.col, cols), workspace);
  at.col += cols;
  if (at.col == y.cols) at = {at.row + rows, 0};
  return at.row == x.rows;
}

}  // namespace webformer
