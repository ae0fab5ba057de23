#include "kernels/elementwise.h"

#include "kernels/simd_math.h"

namespace webformer {

void add(Matrix x, ConstMatrix y) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) map_row<Floats>(x.cols, x.row(i), [](Floats a, Floats b) { return a + b; }, x.row(i), y.row(i));
}

void scale(Matrix x, float factor) noexcept {
  for (std::int64_t i = 0; i < x.rows; ++i) map_row<Floats>(x.cols, x.row(i), [f = Floats(factor)](Floats a) { return a * f; }, x.row(i));
}

void soft_cap(Matrix x, float cap) noexcept {
  const Floats c(cap), inverse(1 / cap);
  for (std::int64_t i = 0; i < x.rows; ++i)
    map_row<Floats>(x.cols, x.row(i), [=](Floats a) { return c * simd_tanh(a * inverse); }, x.row(i));
}

void soft_cap_backward(ConstMatrix y, float cap, ConstMatrix dy, Matrix dx) noexcept {
  const Floats one(1.f), inverse(1 / cap);
  for (std::int64_t i = 0; i < y.rows; ++i) {
    map_row<Floats>(y.cols, dx.row(i), [=](Floats v, Floats d) { return d * (one - v * inverse * (v * inverse)); }, y.row(i), dy.row(i));
  }
}

bool all_finite(ConstMatrix x) noexcept {
  // x - x is 0 for a finite number and NaN for the others.
  for (std::int64_t i = 0; i < x.rows; ++i)
    if (sum_row<Floats>(x.cols, x.row(i), 0, [](Floats v) { return v - v; }) != 0) return false;
  return true;
}

std::int64_t argmax(std::span<const float> x) noexcept {
  const std::int64_t count = std::int64_t(x.size());
  const float largest = max_row<Floats>(count, x.data());
  std::int64_t i = 0;
  for (const Floats wanted(largest); i + lanes<Floats> <= count; i += lanes<Floats>)
    if (xsimd::any(Floats::load_unaligned(x.data() + i) == wanted)) break;
  for (; i < count; ++i)
    if (x[std::size_t(i)] == largest) return i;
  return 0;  // all NaN
}

}  // namespace webformer
