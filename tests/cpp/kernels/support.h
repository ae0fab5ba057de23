#pragma once
// Random inputs for the kernels, and comparison with their references.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/tensor.h"

namespace webformer::kernel_test {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A matrix with memory of its own: rows `gap` floats apart, its first number `shift` floats past an aligned place.
class Numbers {
 public:
  Numbers(std::int64_t rows, std::int64_t cols, std::int64_t gap = 0, std::int64_t shift = 0)
      : memory_(std::size_t(rows * (cols + gap) + shift + 1), untouched), rows_(rows), cols_(cols), stride_(cols + gap), shift_(shift) {}

  Matrix view() { return {memory_.data() + shift_, rows_, cols_, stride_}; }
  float& at(std::int64_t i, std::int64_t j) { return view().at(i, j); }
  float* data() { return memory_.data() + shift_; }

  /// Whether nothing between the rows, before the first and after the last was written.
  bool kept_within_bounds() const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::int64_t place = std::int64_t(i) - shift_;
      const bool inside =
          place >= 0 && place / std::max<std::int64_t>(stride_, 1) < rows_ && place % std::max<std::int64_t>(stride_, 1) < cols_;
      if (!inside && memory_[i] != untouched) return false;
    }
    return true;
  }

 private:
  static constexpr float untouched = 12345.f;
  std::vector<float> memory_;
  std::int64_t rows_, cols_, stride_, shift_;
};

class Randomness {
 public:
  explicit Randomness(unsigned seed) : engine_(seed) {}
  float normal(float deviation = 1) { return std::normal_distribution<float>(0, deviation)(engine_); }
  std::int64_t below(std::int64_t bound) { return std::uniform_int_distribution<std::int64_t>(0, bound - 1)(engine_); }

  Numbers matrix(std::int64_t rows, std::int64_t cols, float deviation = 1, std::int64_t gap = 0, std::int64_t shift = 0) {
    Numbers x(rows, cols, gap, shift);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) x.at(i, j) = normal(deviation);
    return x;
  }
  std::vector<float> row(std::int64_t cols, float deviation = 1) {
    std::vector<float> x(static_cast<std::size_t>(cols));
    for (float& v : x) v = normal(deviation);
    return x;
  }

 private:
  std::mt19937 engine_;
};

/// The largest |got - want|, infinite where only one of them is NaN or where they are different infinities.
inline double difference(ConstMatrix got, ConstMatrix want) {
  double largest = 0;
  for (std::int64_t i = 0; i < want.rows; ++i) {
    for (std::int64_t j = 0; j < want.cols; ++j) {
      const double a = got.at(i, j), b = want.at(i, j);
      const bool same = (std::isnan(a) && std::isnan(b)) || a == b;
      const double off = same ? 0 : std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : double(infinity);
      largest = std::max(largest, off);
    }
  }
  return largest;
}

inline double largest_size(ConstMatrix x) {
  double largest = 0;
  for (std::int64_t i = 0; i < x.rows; ++i)
    for (std::int64_t j = 0; j < x.cols; ++j) largest = std::max(largest, std::abs(double(x.at(i, j))));
  return largest;
}

/// Cosine of the angle between two matrices seen as vectors.
inline double cosine(ConstMatrix x, ConstMatrix y) {
  double xy = 0, xx = 0, yy = 0;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      xy += double(x.at(i, j)) * y.at(i, j);
      xx += double(x.at(i, j)) * x.at(i, j);
      yy += double(y.at(i, j)) * y.at(i, j);
    }
  }
  return xy / std::sqrt(xx * yy);
}

}  // namespace webformer::kernel_test
