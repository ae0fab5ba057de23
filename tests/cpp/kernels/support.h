#pragma once
// What the tests of the kernels share.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/simd.h"
#include "support/random_matrix.h"

namespace webformer::test {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Lengths 0 … two_batches take every path of a loop over batches, remainders included.
inline constexpr std::int64_t two_batches = 2 * lanes<Floats> + 1;

/// Whether all that differs lies inside the matrix: nothing was written between its rows, before or after it.
inline bool changed_inside_only(const RandomMatrix& before, const RandomMatrix& after) {
  RandomMatrix expected = before;
  for (std::int64_t i = 0; i < after.rows; ++i)
    for (std::int64_t j = 0; j < after.cols; ++j) expected.view().at(i, j) = after.view().at(i, j);
  return std::memcmp(expected.data.data(), after.data.data(), expected.data.size() * sizeof(float)) == 0;
}

/// Whether the matrices hold the same bits.
inline bool identical(ConstMatrix a, ConstMatrix b) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    if (std::memcmp(a.row(i), b.row(i), std::size_t(a.cols) * sizeof(float)) != 0) return false;
  return true;
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

/// The gradient of a scalar that depends on x, by central differences. An error of step^2 and of the loss' rounding / step is left.
template <class Loss>
inline std::vector<double> numeric_gradient(Matrix x, Loss loss, float step = 1e-2f) {
  std::vector<double> gradient;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.cols; ++j) {
      const float before = x.at(i, j);
      x.at(i, j) = before + step;
      const double above = loss();
      x.at(i, j) = before - step;
      const double below = loss();
      x.at(i, j) = before;
      gradient.push_back((above - below) / (2 * double(step)));
    }
  }
  return gradient;
}

inline double worst_difference(ConstMatrix a, const std::vector<double>& b) {
  double worst = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) worst = std::max(worst, std::abs(double(a.at(i, j)) - b[std::size_t(i * a.cols + j)]));
  return worst;
}

/// sum_ij a_ij b_ij: a scalar whose gradient for a is b.
inline double product(ConstMatrix a, ConstMatrix b) {
  double total = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) total += double(a.at(i, j)) * b.at(i, j);
  return total;
}

}  // namespace webformer::test
