#include <algorithm>
#include <cmath>

#include "kernels/elementwise.h"

namespace webformer {

namespace {

struct Rotation {
  float cosine, sine;
};

Rotation rotation(float angle) { return {std::cos(angle), std::sin(angle)}; }

}  // namespace

void rope(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
          float magnitude) noexcept {
  constexpr int chunk = 64;  // rotations that are computed once and used by all heads
  const int pairs = rotated / 2;
  const int step = layout == RopeLayout::half ? 1 : 2, partner = layout == RopeLayout::half ? pairs : 1;
  for (std::int64_t t = 0; t < x.rows; ++t) {
    for (int first = 0; first < pairs; first += chunk) {
      const int count = std::min(chunk, pairs - first);
      float cosines[chunk], sines[chunk];
      for (int i = 0; i < count; ++i) {
        const Rotation r = rotation(float(positions[t]) * frequencies[first + i]);
        cosines[i] = r.cosine * magnitude;
        sines[i] = r.sine * magnitude;
      }
      for (int h = 0; h < heads; ++h) {
        float* a = x.row(t) + std::int64_t(h) * head_size + first * step;
        float* b = a + partner;
        for (int i = 0; i < count; ++i, a += step, b += step) {
          const float before = *a;
          *a = before * cosines[i] - *b * sines[i];
          *b = *b * cosines[i] + before * sines[i];
        }
      }
    }
  }
}

}  // namespace webformer
