#include "kernels/vectors.h"

#include <doctest/doctest.h>

#include <cmath>

#include "kernels/reference.h"
#include "support.h"

using namespace webformer;
using test::RandomMatrix;

TEST_CASE("a product of two vectors, and a multiple of one added to another, equal their formulas for every length") {
  Random random(1);
  for (std::int64_t count = 0; count <= 4 * test::two_batches; ++count) {
    CAPTURE(count);
    RandomMatrix a(1, count, random), b(1, count, random);
    CHECK(std::abs(dot(a.view().data, b.view().data, count) - reference::dot(a.view().data, b.view().data, count)) < 1e-5);
    RandomMatrix got = b, expected = b;
    add_scaled(0.5f, a.view().data, got.view().data, count);
    reference::add_scaled(0.5f, a.view().data, expected.view().data, count);
    CHECK(test::changed_inside_only(b, got));
    CHECK(test::worst_difference(got.view(), expected.view()) < 1e-6);
  }
}
