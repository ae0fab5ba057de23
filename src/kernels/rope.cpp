#include <algorithm>
#include <bit>
#include <functional>

#include "kernels/elementwise.h"
#include "kernels/simd_math.h"

namespace webformer {

namespace {

/// Rotations that are computed once and used by all heads.
constexpr int chunk = 64;
static_assert(chunk % lanes<Floats> == 0);

/// An angle as r + quadrant * pi/2 with r in [-pi/4, pi/4]. In double: at position 100,000 a float has no digits left.
struct Reduced {
  float rest[chunk];
  std::int32_t quadrant[chunk];
};

void reduce(float position, const float* frequencies, int count, Reduced& reduced) noexcept {
  constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer and leaves that in the low bits
  constexpr double per_quadrant = 0.63661977236758134308, quadrant = 1.57079632679489661923;  // 2 / pi and pi / 2
  for (int i = 0; i < count; ++i) {
    const double angle = position * frequencies[i];  // rounded to float, as Hugging Face does
    const double shifted = angle * per_quadrant + shifter;
    reduced.rest[i] = float(angle - (shifted - shifter) * quadrant);
    reduced.quadrant[i] = std::int32_t(std::bit_cast<std::int64_t>(shifted));
  }
}

struct Sine {
  static constexpr float sine[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
  static constexpr float cosine[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f, -0.5f};
  static constexpr std::int32_t one = 1, two = 2;
};

/// cos and sin of reduced angles, times `magnitude` (polynomials of Cephes' sinf and cosf).
template <class F>
void turn(const Reduced& reduced, int count, float magnitude, float* cosines, float* sines) noexcept {
  using Int = IntsOf<F>;
  for (int i = 0; i < count; i += int(lanes<F>)) {
    const F r = F::load_unaligned(reduced.rest + i), square = r * r;
    const Int quadrant = Int::load_unaligned(reduced.quadrant + i);
    const F sine = multiply_add(polynomial(square, Sine::sine) * square, r, r);
    const F cosine = multiply_add(polynomial(square, Sine::cosine), square, constant<F>(Common::one));
    // Quadrants 1 and 3 exchange the two; cosine is negative in 1 and 2, sine in 2 and 3.
    const auto odd = xsimd::batch_bool_cast<float>((quadrant & constant<Int>(Sine::one)) != Int(0));
    const Int cosine_sign = ((quadrant + constant<Int>(Sine::one)) & constant<Int>(Sine::two)) << 30;
    const Int sine_sign = (quadrant & constant<Int>(Sine::two)) << 30;
    const auto signed_by = [](F value, Int sign) { return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(value) ^ sign); };
    (F(magnitude) * signed_by(xsimd::select(odd, sine, cosine), cosine_sign)).store_unaligned(cosines + i);
    (F(magnitude) * signed_by(xsimd::select(odd, cosine, sine), sine_sign)).store_unaligned(sines + i);
  }
}

/// Turns pairs (a_i, b_i) of two rows of numbers.
template <class F>
void rotate_halves(float* a, float* b, const float* cosines, const float* sines, int count) noexcept {
  int i = 0;
  for (; i + lanes<F> <= count; i += int(lanes<F>)) {
    const F x = F::load_unaligned(a + i), y = F::load_unaligned(b + i);
    const F cosine = F::load_unaligned(cosines + i), sine = F::load_unaligned(sines + i);
    (x * cosine - y * sine).store_unaligned(a + i);
    (y * cosine + x * sine).store_unaligned(b + i);
  }
  for (; i < count; ++i) {
    const float x = a[i], y = b[i];
    a[i] = x * cosines[i] - y * sines[i];
    b[i] = y * cosines[i] + x * sines[i];
  }
}

void rotate_neighbours(float* pairs, const float* cosines, const float* sines, int count) noexcept {
  for (int i = 0; i < count; ++i) {
    const float x = pairs[2 * i], y = pairs[2 * i + 1];
    pairs[2 * i] = x * cosines[i] - y * sines[i];
    pairs[2 * i + 1] = y * cosines[i] + x * sines[i];
  }
}

/// Turns by the angles, or by their negatives.
template <bool Back>
void rotate(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
            float magnitude) noexcept {
  const int pairs = rotated / 2;
  Reduced reduced{};
  float cosines[chunk], sines[chunk];
  for (std::int64_t t = 0; t < x.rows; ++t) {
    for (int first = 0; first < pairs; first += chunk) {
      const int count = std::min(chunk, pairs - first);
      reduce(float(positions[t]), frequencies + first, count, reduced);
      turn<Floats>(reduced, count, magnitude, cosines, sines);
      if (Back) std::transform(sines, sines + count, sines, std::negate());
      for (int h = 0; h < heads; ++h) {
        float* head = x.row(t) + std::int64_t(h) * head_size;
        if (layout == RopeLayout::half) {
          rotate_halves<Floats>(head + first, head + first + pairs, cosines, sines, count);
        } else {
          rotate_neighbours(head + 2 * first, cosines, sines, count);
        }
      }
    }
  }
}

}  // namespace

void rope(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
          float magnitude) noexcept {
  rotate<false>(x, heads, head_size, rotated, layout, positions, frequencies, magnitude);
}

void rope_backward(Matrix dy, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions,
                   const float* frequencies, float magnitude) noexcept {
  rotate<true>(dy, heads, head_size, rotated, layout, positions, frequencies, magnitude);
}

}  // namespace webformer
