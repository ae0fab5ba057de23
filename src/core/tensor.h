#pragma once
// Shapes, views and arrays of float. Views do not own; kernels take matrices, layers take tensors.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"

namespace webformer {

/// The sizes of the axes of a row-major tensor, the outermost first. Rank 0 is a scalar.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  /// Throws invalid_argument for a rank over max_rank, a negative size, or a product that does not fit 2^53.
  explicit Shape(std::span<const std::int64_t> sizes);

  int rank() const noexcept { return rank_; }
  /// The size of an axis; negative axes count from the last, which is -1.
  std::int64_t operator[](int axis) const noexcept { return sizes_[std::size_t(axis < 0 ? axis + rank_ : axis)]; }
  /// How many elements: the product of all sizes, 1 for a scalar.
  std::int64_t size() const noexcept { return size_; }
  std::span<const std::int64_t> sizes() const noexcept { return {sizes_.data(), std::size_t(rank_)}; }
  bool operator==(const Shape& other) const noexcept;

 private:
  std::array<std::int64_t, max_rank> sizes_{};
  int rank_ = 0;
  std::int64_t size_ = 1;
};

/// "[2, 3, 4]"
std::string to_text(const Shape& shape);

/// [rows, cols] of T; row i starts at data + i * stride.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;

  MatrixView() = default;
  MatrixView(T* data, std::int64_t rows, std::int64_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::int64_t rows, std::int64_t cols, std::int64_t stride) : data(data), rows(rows), cols(cols), stride(stride) {}
  operator MatrixView<const T>() const noexcept { return {data, rows, cols, stride}; }

  T* row(std::int64_t i) const noexcept { return data + i * stride; }
  T& at(std::int64_t i, std::int64_t j) const noexcept { return data[i * stride + j]; }
  MatrixView rows_from(std::int64_t first, std::int64_t count) const noexcept { return {row(first), count, cols, stride}; }
  MatrixView cols_from(std::int64_t first, std::int64_t count) const noexcept { return {data + first, rows, count, stride}; }
};

using Matrix = MatrixView<float>;
using ConstMatrix = MatrixView<const float>;

/// A tensor that owns its numbers: what a model returns, and small weights.
struct Array {
  Shape shape;
  std::vector<float> data;

  Array() : shape{0} {}
  explicit Array(Shape shape) : shape(shape), data(std::size_t(shape.size())) {}
  Array(Shape shape, std::vector<float> data) : shape(shape), data(std::move(data)) {}

  std::int64_t size() const noexcept { return shape.size(); }
  /// All axes but the last as rows.
  Matrix matrix() noexcept { return {data.data(), rows(), shape.rank() ? shape[-1] : 1}; }
  ConstMatrix matrix() const noexcept { return {data.data(), rows(), shape.rank() ? shape[-1] : 1}; }

 private:
  std::int64_t rows() const noexcept { return shape.rank() && shape[-1] ? shape.size() / shape[-1] : shape.rank() ? 0 : 1; }
};

}  // namespace webformer
