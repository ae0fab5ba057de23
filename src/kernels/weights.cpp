#include "kernels/weights.h"

#include <limits>
#include <new>
#include <vector>

#include "core/error.h"
#include "kernels/formats.h"

namespace webformer {

namespace {

constexpr std::size_t alignment = 64;

std::int64_t panels_of(std::int64_t rows) noexcept { return round_up(rows, panel_width<Floats>) / panel_width<Floats>; }

}  // namespace

std::string_view name(WeightType type) {
  switch (type) {
    case WeightType::f32: return "f32";
    case WeightType::f16: return "f16";
    case WeightType::int8: return "int8";
    case WeightType::int4: return "int4";
  }
  return "?";
}

std::uint64_t PackedWeights::bytes_for(WeightType type, std::int64_t rows, std::int64_t cols) noexcept {
  return with_format<Floats>(type, [&](auto format) { return std::uint64_t(panels_of(rows)) * std::uint64_t(format.panel_bytes(cols)); });
}

PackedWeights::PackedWeights(WeightType type, std::int64_t rows, std::int64_t cols) : type_(type), rows_(rows), cols_(cols) {
  const std::uint64_t bytes = bytes_for(type, rows, cols);
  const bool addressable = bytes <= std::numeric_limits<std::size_t>::max() / 2;
  if (addressable) memory_.reset(new (std::nothrow) std::byte[std::size_t(bytes) + alignment]());
  if (!memory_) throw Error(Code::out_of_memory, "weights [{}, {}] as {}: no room for their {} bytes", rows, cols, name(type), bytes);
  size_ = std::size_t(bytes);
  data_ = memory_.get() + (alignment - reinterpret_cast<std::uintptr_t>(memory_.get()) % alignment) % alignment;
}

void PackedWeights::fill(std::int64_t first, ConstMatrix rows) noexcept {
  with_format<Floats>(type_, [&](auto format) {
    const std::int64_t panel_bytes = format.panel_bytes(cols_);
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      const std::int64_t row = first + i;
      format.write(data_ + row / panel_width<Floats> * panel_bytes, cols_, row % panel_width<Floats>, rows.row(i));
    }
  });
}

void PackedWeights::row(std::int64_t index, float* out) const noexcept {
  with_format<Floats>(type_, [&](auto format) {
    format.read(data_ + index / panel_width<Floats> * format.panel_bytes(cols_), cols_, index % panel_width<Floats>, out);
  });
}

PackedWeights widened(PackedWeights weights) {
  if (weights.type() == WeightType::f32) return weights;
  PackedWeights wide(WeightType::f32, weights.rows(), weights.cols());
  std::vector<float> row(std::size_t(weights.cols()));
  for (std::int64_t i = 0; i < weights.rows(); ++i) {
    weights.row(i, row.data());
    wide.fill(i, ConstMatrix(row.data(), 1, weights.cols()));
  }
  return wide;
}

void PackedWeights::add_to_row(std::int64_t index, const float* x) noexcept {
  float* to = numbers().data() + index / panel_width<Floats> * cols_ * panel_width<Floats> + index % panel_width<Floats>;
  for (std::int64_t k = 0; k < cols_; ++k) to[k * panel_width<Floats>] += x[k];
}

}  // namespace webformer
