// The gradients of y = x W^T + b. Both are products of the forward's kind: dx = dy W is one with the weights W^T, and dW^T = x^T dy one
// whose "weights" are the columns of dy, so that the result lies in panels as W does.

#include "kernels/blocked_product.h"
#include "kernels/formats.h"

namespace webformer {

namespace {

/// W^T of W in float panels: out has panels of inputs, each [outputs][panel_width], by transposing squares of `lanes` numbers a side.
template <class F>
void transpose_panels(const PackedWeights& w, float* out) noexcept {
  constexpr std::int64_t width = panel_width<F>;
  for (std::int64_t first = 0; first < w.rows(); first += lanes<F>) {
    const float* panel = w.numbers().data() + first / width * w.cols() * width + first % width;
    const std::int64_t count = std::min(lanes<F>, w.rows() - first);
    for (std::int64_t k = 0; k < round_up(w.cols(), width); k += lanes<F>) {
      std::array<F, F::size> square;
      for (std::int64_t j = 0; j < lanes<F>; ++j)
        square[std::size_t(j)] = k + j < w.cols() ? F::load_unaligned(panel + (k + j) * width) : F(0.f);
      xsimd::transpose(square.data(), square.data() + F::size);
      float* to = out + (k / width * w.rows() + first) * width + k % width;
      for (std::int64_t j = 0; j < count; ++j) square[std::size_t(j)].store_unaligned(to + j * width);
    }
  }
}

/// The same from weights of any type, row by row.
template <class F>
void transpose_rows(const PackedWeights& w, float* row, float* out) noexcept {
  constexpr std::int64_t width = panel_width<F>;
  std::fill(row, row + round_up(w.cols(), width), 0.f);
  for (std::int64_t n = 0; n < w.rows(); ++n) {
    w.row(n, row);
    for (std::int64_t k = 0; k < w.cols(); k += width) std::copy_n(row + k, width, out + (k / width * w.rows() + n) * width);
  }
}

/// Columns [col, col + panel_width) of dy as a panel; zeros beyond the last.
template <class F>
void pack_columns(ConstMatrix dy, std::int64_t col, float* panel) noexcept {
  const std::int64_t count = std::min(panel_width<F>, dy.cols - col);
  for (std::int64_t m = 0; m < dy.rows; ++m, panel += panel_width<F>) {
    std::copy_n(dy.row(m) + col, count, panel);
    std::fill(panel + count, panel + panel_width<F>, 0.f);
  }
}

template <class F>
void add_weight_gradient(ConstMatrix x, ConstMatrix dy, PackedWeights& gradient, Workspace& workspace) {
  using Format = F32Panels<F>;
  Scope scope(workspace);
  const std::int64_t most_depth = std::min(x.rows, Format::depth_block), cols = x.cols;
  float* input = workspace.allocate<float>(most_depth * std::min(cols, row_block));
  float* panel = workspace.allocate<float>(most_depth * panel_width<F>);

  for (std::int64_t m = 0; m < x.rows; m += Format::depth_block) {
    const std::int64_t depth = std::min(Format::depth_block, x.rows - m);
    for (std::int64_t block = 0; block < cols; block += row_block) {
      const Tiles tiles(std::min(row_block, cols - block), Format::tile_rows);
      for (std::int64_t i = 0; i < tiles.count; ++i) {
        float* to = input + tiles.first_row(i) * depth;
        for (std::int64_t d = 0; d < depth; ++d, to += tiles.rows(i))
          std::copy_n(x.row(m + d) + block + tiles.first_row(i), tiles.rows(i), to);
      }
      for (std::int64_t col = 0; col < dy.cols; col += panel_width<F>) {
        pack_columns<F>(dy.rows_from(m, depth), col, panel);
        float* to = gradient.numbers().data() + (col * cols + block * panel_width<F>);
        for (std::int64_t i = 0; i < tiles.count; ++i) {
          const Matrix y(to + tiles.first_row(i) * panel_width<F>, tiles.rows(i), panel_width<F>);
          TileKernels<Format>::narrow[std::size_t(tiles.rows(i) - 1)](
              {reinterpret_cast<const std::byte*>(input + tiles.first_row(i) * depth), reinterpret_cast<const std::byte*>(panel), depth, 0,
               depth, y, nullptr, true});
        }
      }
    }
  }
}

}  // namespace

void linear_backward_input(ConstMatrix dy, const PackedWeights& weights, Matrix dx, Workspace& workspace) {
  using Format = F32Panels<Floats>;
  Scope scope(workspace);
  const std::int64_t filled = round_up(weights.cols(), panel_width<Floats>);
  float* transposed = workspace.allocate<float>(filled * weights.rows());
  if (weights.type() == WeightType::f32) {
    transpose_panels<Floats>(weights, transposed);
  } else {
    transpose_rows<Floats>(weights, workspace.allocate<float>(filled), transposed);
  }
  multiply_blocks<Format>(dy, {reinterpret_cast<const std::byte*>(transposed), weights.cols(), weights.rows()}, nullptr, dx, true,
                          workspace);
}

void linear_backward_weights(ConstMatrix x, ConstMatrix dy, PackedWeights& gradient, Workspace& workspace) {
  add_weight_gradient<Floats>(x, dy, gradient, workspace);
}

void linear_backward_bias(ConstMatrix dy, float* gradient) noexcept {
  for (std::int64_t i = 0; i < dy.rows; ++i)
    map_row<Floats>(dy.cols, gradient, [](Floats a, Floats b) { return a + b; }, gradient, dy.row(i));
}

}  // namespace webformer
