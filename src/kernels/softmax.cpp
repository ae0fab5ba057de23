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

}  // namespace webformer
