#include "kernels/dropout.h"

#include "kernels/elementwise.h"

namespace webformer {

void dropout(Matrix x, float rate, std::uint64_t seed) noexcept {
  if (rate <= 0) return;
  const Dropout drop(rate, seed);
  for (std::int64_t i = 0; i < x.rows; ++i) drop.apply<Floats>(x.cols, x.row(i), i * x.cols);
}

}  // namespace webformer
