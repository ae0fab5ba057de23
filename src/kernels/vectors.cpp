#include "kernels/vectors.h"

#include <algorithm>
#include <cmath>

#include "kernels/simd.h"

namespace webformer {

float dot(const float* a, const float* b, std::int64_t count) noexcept { return dot_row<Floats>(count, a, b); }

void add_scaled(float factor, const float* x, float* y, std::int64_t count) noexcept {
  using F = Floats;
  const F f(factor);
  map_row<F>(count, y, [f](F x, F y) { return multiply_add(f, x, y); }, x, y);
}

namespace {

constexpr float least_length = 1e-8f;

float length(const float* x, std::int64_t count) { return std::max(std::sqrt(dot(x, x, count)), least_length); }

}  // namespace

float cosine_similarity(const float* a, const float* b, std::int64_t count) noexcept {
  return dot(a, b, count) / (length(a, count) * length(b, count));
}

void cosine_similarity_backward(const float* a, const float* b, float factor, float* da, std::int64_t count) noexcept {
  const float of_a = length(a, count), of_b = length(b, count);
  if (of_a == least_length || of_b == least_length) return;
  add_scaled(factor / (of_a * of_b), b, da, count);
  add_scaled(-factor * cosine_similarity(a, b, count) / (of_a * of_a), a, da, count);
}

}  // namespace webformer
