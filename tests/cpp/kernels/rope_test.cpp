#include <algorithm>

#include "kernels/reference.h"
#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

constexpr RopeLayout layouts[] = {RopeLayout::half, RopeLayout::interleaved};

/// base^(-2i / rotated), as Su et al. 2021
std::vector<float> frequencies(int rotated, float base = 10000) {
  std::vector<float> f(std::size_t(rotated / 2));
  for (std::size_t i = 0; i < f.size(); ++i) f[i] = std::pow(base, -2 * float(i) / float(rotated));
  return f;
}

}  // namespace

TEST_CASE("rope turns pairs by position times frequency, in both layouts, and leaves the rest of a head") {
  Random random(1);
  for (const RopeLayout layout : layouts) {
    for (int rotated = 0; rotated <= 150; rotated += 2) {
      const int heads = 1 + rotated % 3, size = rotated + rotated % 4;
      const RandomMatrix x(5, std::int64_t(heads) * size, random);
      const std::vector<std::int32_t> positions{0, 1, 7, 4000, 131071};
      const std::vector<float> f = frequencies(rotated);
      RandomMatrix got = x, expected = x;
      rope(got.view(), heads, size, rotated, layout, positions.data(), f.data(), 1.5f);
      reference::rope(expected.view(), heads, size, rotated, layout, positions.data(), f.data(), 1.5f);
      CAPTURE(rotated);
      CHECK(test::worst_difference(got.view(), expected.view()) < 3e-6);
      CHECK(test::changed_inside_only(x, got));
    }
  }
}

TEST_CASE("rope of the products of two rows depends on their distance alone") {
  Random random(2);
  for (const RopeLayout layout : layouts) {
    const RandomMatrix q(1, 16, random), k(1, 16, random);
    const std::vector<float> f = frequencies(16);
    const auto product = [&](std::int32_t at_query, std::int32_t at_key) {
      RandomMatrix a = q, b = k;
      rope(a.view(), 1, 16, 16, layout, &at_query, f.data(), 1);
      rope(b.view(), 1, 16, 16, layout, &at_key, f.data(), 1);
      double sum = 0;
      for (std::int64_t i = 0; i < 16; ++i) sum += double(a.view().at(0, i)) * b.view().at(0, i);
      return sum;
    };
    CHECK(product(3, 1) == doctest::Approx(product(102, 100)).epsilon(1e-4));
    CHECK(product(5, 5) == doctest::Approx(product(0, 0)).epsilon(1e-5));
  }
}
