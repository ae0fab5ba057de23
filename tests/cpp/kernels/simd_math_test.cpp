// The accuracy of the vectorized functions against those of the standard library in double.

#include <bit>
#include <cmath>

#include "kernels/simd_math.h"
#include "support.h"

using namespace webformer;

namespace {

/// The distance from one float to the next at `x`.
double ulp(double x) { return std::ldexp(1.0, std::max(std::ilogb(std::max(std::abs(x), 0x1p-149)) - 23, -149)); }

/// Calls see(x, f(x)) for floats of both signs, spread evenly over the bits of those below `limit`.
template <class Function, class See>
void for_floats_below(float limit, Function f, See see) {
  constexpr std::uint32_t step = 19997;  // a prime: all patterns of low bits occur
  float x[Floats::size], y[Floats::size];
  const std::uint32_t end = std::bit_cast<std::uint32_t>(limit);
  for (std::uint32_t bits = 0; bits < end; bits += step * std::uint32_t(Floats::size)) {
    for (const float sign : {1.f, -1.f}) {
      for (std::uint32_t i = 0; i < Floats::size; ++i) x[i] = sign * std::bit_cast<float>(std::min(bits + i * step, end));
      f(Floats::load_unaligned(x)).store_unaligned(y);
      for (std::size_t i = 0; i < Floats::size; ++i) see(double(x[i]), double(y[i]));
    }
  }
}

template <class Function, class Exact>
double worst_ulps(float limit, double lowest, double highest, Function f, Exact exact) {
  double worst = 0;
  for_floats_below(limit, f, [&](double x, double y) {
    if (x >= lowest && x <= highest) worst = std::max(worst, std::abs(y - exact(x)) / ulp(exact(x)));
  });
  return worst;
}

float first(Floats x) {
  float numbers[Floats::size];
  x.store_unaligned(numbers);
  return numbers[0];
}

}  // namespace

TEST_CASE("exp is within 2 ulp") {
  CHECK(worst_ulps(88.f, -87.3, 88.3, [](Floats x) { return simd_exp(x); }, [](double x) { return std::exp(x); }) < 2);
}

TEST_CASE("exp gives 0 far below, infinity far above, and NaN for NaN") {
  CHECK(first(simd_exp(Floats(0.f))) == 1);
  CHECK(first(simd_exp(Floats(-88.f))) == 0);
  CHECK(first(simd_exp(Floats(-1e30f))) == 0);
  CHECK(first(simd_exp(Floats(-test::infinity))) == 0);
  CHECK(first(simd_exp(Floats(89.f))) == test::infinity);
  CHECK(first(simd_exp(Floats(test::infinity))) == test::infinity);
  CHECK(std::isnan(first(simd_exp(Floats(test::not_a_number)))));
}

TEST_CASE("sigmoid is within 3 ulp") {
  CHECK(worst_ulps(80.f, -80, 80, [](Floats x) { return simd_sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }) < 3);
}

TEST_CASE("tanh is within 3 ulp") {
  CHECK(worst_ulps(1e30f, -1e30, 1e30, [](Floats x) { return simd_tanh(x); }, [](double x) { return std::tanh(x); }) < 3);
}

TEST_CASE("erf is within 4e-7") {
  double worst = 0;
  for_floats_below(
      1e30f, [](Floats x) { return simd_erf(x); }, [&](double x, double y) { worst = std::max(worst, std::abs(y - std::erf(x))); });
  CHECK(worst < 4e-7);
}

TEST_CASE("the functions keep infinities and NaN") {
  CHECK(first(simd_tanh(Floats(test::infinity))) == 1);
  CHECK(first(simd_tanh(Floats(-test::infinity))) == -1);
  CHECK(first(simd_sigmoid(Floats(-test::infinity))) == 0);
  CHECK(first(simd_sigmoid(Floats(test::infinity))) == 1);
  CHECK(first(simd_erf(Floats(test::infinity))) == doctest::Approx(1));
  for (const float y : {first(simd_tanh(Floats(test::not_a_number))), first(simd_sigmoid(Floats(test::not_a_number))),
                        first(simd_erf(Floats(test::not_a_number)))})
    CHECK(std::isnan(y));
}
