#include "model/low_rank.h"

#include "kernels/elementwise.h"

namespace webformer {

void LowRank::forward(ConstMatrix x, Matrix y, Pass& pass) const {
  Scope scope(pass.workspace);
  const Matrix lowered = pass.lasting(x.rows, down->rows()), raised = pass.workspace.matrix(y.rows, y.cols);
  linear(x, *down, nullptr, lowered, pass.workspace);
  webformer::scale(lowered, scale);
  if (pass.tape) pass.tape->push(lowered);
  linear(lowered, *up, nullptr, raised, pass.workspace);
  add(y, raised);
}

void LowRank::add_row(std::int64_t index, float* out) const {
  std::vector<float> factors(std::size_t(up->cols())), row(std::size_t(down->cols()));
  up->row(index, factors.data());
  for (std::int64_t r = 0; r < down->rows(); ++r) {
    down->row(r, row.data());
    for (std::size_t k = 0; k < row.size(); ++k) out[k] += scale * factors[std::size_t(r)] * row[k];
  }
}

}  // namespace webformer
