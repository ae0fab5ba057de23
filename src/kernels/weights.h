#pragma once
// The weights of a linear layer or an embedding, stored as the kernels want them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/tensor.h"
#include "core/workspace.h"
#include "kernels/parts.h"

namespace webformer {

/// How the numbers of a weight matrix are kept in memory.
enum class WeightType {
  f32,
  f16,   ///< IEEE half; widened to float while computing
  int8,  ///< groups of 64 along a row with a scale each, symmetric; activations are quantized row by row as they come
  int4,  ///< groups of 32 along a row, unsigned with a scale and a zero each, of the least square error
};

std::string_view name(WeightType type);

/// W: [N, K] (outputs, inputs), packed. Copies are shared by reference elsewhere; this type owns its bytes.
class PackedWeights {
 public:
  PackedWeights() = default;
  /// Throws out_of_memory where the bytes do not fit. The contents are zero until filled.
  PackedWeights(WeightType type, std::int64_t rows, std::int64_t cols);

  /// How many bytes a matrix takes, so that the need can be compared with the limit before anything is allocated.
  static std::uint64_t bytes_for(WeightType type, std::int64_t rows, std::int64_t cols) noexcept;

  /// Packs, and quantizes where the type asks for it, rows.rows rows of W from row `first` on.
  void fill(std::int64_t first, ConstMatrix rows) noexcept;
  /// Row `index` of W as floats, dequantized: the look-up of an embedding. out: [K].
  void row(std::int64_t index, float* out) const noexcept;

  WeightType type() const noexcept { return type_; }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t cols() const noexcept { return cols_; }
  std::size_t bytes() const noexcept { return size_; }
  const std::byte* data() const noexcept { return data_; }

  /// f32 only: all numbers in the order they are kept in, for work that treats them alike. Some fill up the last rows and stay 0.
  std::span<float> numbers() noexcept { return {reinterpret_cast<float*>(data_), size_ / sizeof(float)}; }
  std::span<const float> numbers() const noexcept { return {reinterpret_cast<const float*>(data_), size_ / sizeof(float)}; }
  /// f32 only: adds x to row `index`: what the look-up of an embedding gives back. x: [K].
  void add_to_row(std::int64_t index, const float* x) noexcept;

 private:
  WeightType type_ = WeightType::f32;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* data_ = nullptr;  // in memory_, on a cache line
  std::size_t size_ = 0;
};

/// The same numbers as f32, as they are dequantized. Throws out_of_memory.
PackedWeights widened(PackedWeights weights);

/// y = x W^T + b. x: [M, K], y: [M, N], bias: [N] or null. y may not overlap x. Scratch comes from the workspace.
void linear(ConstMatrix x, const PackedWeights& weights, const float* bias, Matrix y, Workspace& workspace);
/// The part of it that begins at `at`, of about so many operations, or the least that there is. Returns true after the last.
bool linear_part(ConstMatrix x, const PackedWeights& weights, const float* bias, Matrix y, LinearPlace& at, Workspace& workspace,
                 std::int64_t operations = part_operations);
/// dx += dy W. dy: [M, N], dx: [M, K]. The weights may be of any type: their rounding is taken as it is.
void linear_backward_input(ConstMatrix dy, const PackedWeights& weights, Matrix dx, Workspace& workspace);
/// dW += dy^T x. x: [M, K], dy: [M, N], dW: [N, K], f32.
void linear_backward_weights(ConstMatrix x, ConstMatrix dy, PackedWeights& gradient, Workspace& workspace);
/// db += the sum of dy over its rows. db: [N].
void linear_backward_bias(ConstMatrix dy, float* gradient) noexcept;

}  // namespace webformer
