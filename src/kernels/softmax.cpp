#include <cmath>

#include "kernels/elementwise.h"
#include "kernels/simd_math.h"
#include "kernels/softmax_row.h"

namespace webformer {

void softmax(Matrix x) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) softmax_row<Floats>(x.cols, x.row(i));
}

void log_softmax(Matrix x) noexcept {
  using F = Floats;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    float* row = x.row(i);
    const F largest(max_row<F>(x.cols, row));
    const float sum = sum_row<F>(x.cols, row, -std::numeric_limits<float>::infinity(), [=](F v) { return simd_exp(v - largest); });
    map_row<F>(x.cols, row, [=, log_sum = F(std::log(sum))](F v) { return v - largest - log_sum; }, row);
  }
}

void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx) noexcept {
  for (std::int64_t i = 0; i < y.rows; ++i) {
    const Floats mean(dot_row<Floats>(y.cols, y.row(i), dy.row(i)));
    map_row<Floats>(y.cols, dx.row(i), [=](Floats p, Floats d) { return p * (d - mean); }, y.row(i), dy.row(i));
  }
}

void log_softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx) noexcept {
  for (std::int64_t i = 0; i < y.rows; ++i) {
    const Floats sum(sum_row<Floats>(y.cols, dy.row(i), 0, [](Floats d) { return d; }));
    map_row<Floats>(y.cols, dx.row(i), [=](Floats log_p, Floats d) { return d - simd_exp(log_p) * sum; }, y.row(i), dy.row(i));
  }
}

}  // namespace webformer
