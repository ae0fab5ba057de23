#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/half.h"
#include "core/random.h"
#include "core/tensor.h"
#include "core/workspace.h"

using namespace webformer;

TEST_CASE("a shape refuses what cannot be counted") {
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{2, 3, 4}.size() == 24);
  CHECK(Shape{2, 3, 4}[-1] == 4);
  CHECK(Shape{5, 0}.size() == 0);
  CHECK(to_text(Shape{2, 3}) == "[2, 3]");
  CHECK_THROWS_AS((Shape{-1}), Error);
  CHECK_THROWS_AS((Shape{std::int64_t(1) << 42, std::int64_t(1) << 42}), Error);
  CHECK_THROWS_AS((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), Error);
}

TEST_CASE("every half survives the way to float and back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = std::uint16_t(bits);
    const float value = half_to_float(half);
    if (std::isnan(value)) {
      CHECK((bits & 0x7c00) == 0x7c00);
      CHECK(std::isnan(half_to_float(float_to_half(value))));
    } else {
      CHECK(float_to_half(value) == half);
    }
  }
}

TEST_CASE("halves have the values and roundings of IEEE 754") {
  CHECK(half_to_float(0x3c00) == 1.0f);
  CHECK(half_to_float(0x0001) == std::ldexp(1.0f, -24));
  CHECK(half_to_float(0x7bff) == 65504.0f);
  CHECK(std::isinf(half_to_float(0xfc00)));
  CHECK(float_to_half(1.0f + std::ldexp(1.0f, -11)) == 0x3c00);  // a tie goes to the even neighbour
  CHECK(float_to_half(1.0f + 3 * std::ldexp(1.0f, -11)) == 0x3c02);
  CHECK(float_to_half(65519.0f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(std::ldexp(1.0f, -26)) == 0);
}

TEST_CASE("bfloat16 keeps the range of float and rounds ties to even") {
  CHECK(bfloat16_to_float(0x3f80) == 1.0f);
  CHECK(float_to_bfloat16(1.0f + std::ldexp(1.0f, -8)) == 0x3f80);
  CHECK(float_to_bfloat16(1.0f + 3 * std::ldexp(1.0f, -8)) == 0x3f82);
  CHECK(std::isnan(bfloat16_to_float(float_to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(std::isinf(bfloat16_to_float(float_to_bfloat16(std::numeric_limits<float>::max()))));
}

TEST_CASE("a workspace gives aligned memory and takes it back scope by scope") {
  Workspace workspace;
  const auto mark = workspace.mark();
  float* first;
  {
    Scope scope(workspace);
    first = workspace.allocate<float>(3);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    workspace.allocate<float>(1 << 20);
  }
  CHECK(workspace.mark().block == mark.block);
  const std::size_t held = workspace.bytes();
  for (int i = 0; i < 100; ++i) {
    Scope scope(workspace);
    workspace.allocate<float>(3);
    workspace.allocate<float>(1 << 20);
  }
  CHECK(workspace.bytes() == held);
}

TEST_CASE("a seed gives the numbers of xoshiro128++ seeded by splitmix64") {
  // splitmix64(0): e220a8397b1dcdaf, 6e789e6aa1b965f4 (Vigna's reference); the first output follows from the definition.
  const std::uint32_t s0 = 0x7b1dcdaf, s3 = 0x6e789e6a, sum = s0 + s3;
  CHECK(Random(0).next() == ((sum << 7) | (sum >> 25)) + s0);
  Random a(7), b(7), c(8);
  CHECK(a.next() == b.next());
  CHECK(a.next() != c.next());
}

TEST_CASE("random numbers have the moments of their distribution") {
  Random random(1);
  double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0;
  std::vector<int> counts(7);
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(), z = random.normal();
    CHECK((u >= 0 && u < 1));
    sum += u, squares += u * u, normal_sum += z, normal_squares += z * z;
    ++counts[random.below(7)];
  }
  CHECK(sum / n == doctest::Approx(0.5).epsilon(0.01));
  CHECK(squares / n == doctest::Approx(1.0 / 3).epsilon(0.01));
  CHECK(std::abs(normal_sum / n) < 0.015);
  CHECK(normal_squares / n == doctest::Approx(1).epsilon(0.02));
  for (const int count : counts) CHECK(count == doctest::Approx(n / 7.0).epsilon(0.04));
}
