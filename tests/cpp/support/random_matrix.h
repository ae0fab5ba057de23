#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"
#include "core/tensor.h"

namespace webformer::test {

/// A matrix of normal numbers whose rows are `gap` floats further apart than they are long, and which starts one float after an allocation.
struct RandomMatrix {
  std::vector<float> data;
  std::int64_t rows, cols, stride;

  RandomMatrix(std::int64_t rows, std::int64_t cols, Random& random, float deviation = 1, std::int64_t gap = 3)
      : data(std::size_t(1 + rows * (cols + gap))), rows(rows), cols(cols), stride(cols + gap) {
    for (float& x : data) x = deviation * float(random.normal());
  }
  Matrix view() { return {data.data() + 1, rows, cols, stride}; }
  ConstMatrix view() const { return {data.data() + 1, rows, cols, stride}; }
};

/// max |a - b|; NaN where one of them is.
inline double worst_difference(ConstMatrix a, ConstMatrix b) {
  double worst = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.cols; ++j) {
      const double difference = std::abs(double(a.at(i, j)) - double(b.at(i, j)));
      if (!(difference <= worst) && !std::isnan(worst)) worst = difference;
    }
  }
  return worst;
}

inline double largest_number(ConstMatrix a) {
  double largest = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.cols; ++j) largest = std::max(largest, std::abs(double(a.at(i, j))));
  }
  return largest;
}

}  // namespace webformer::test
