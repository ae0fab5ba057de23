#include "kernels/quantize.h"

#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

constexpr std::int64_t longest = std::max<std::int64_t>(1024, 4 * test::two_batches);

template <class Q>
struct Group {
  Q q[longest];
  Quantized about;
};

template <class Q>
Group<Q> quantize(Quantized (*f)(const float*, std::int64_t, Q*), const std::vector<float>& x) {
  Group<Q> group;
  group.about = f(x.data(), std::int64_t(x.size()), group.q);
  return group;
}

/// The largest |x - scale (q - zero)|, in units of the scale; every q must be within the bounds.
template <class Q>
double worst_error(const Group<Q>& group, const std::vector<float>& x, int lowest, int highest) {
  double worst = 0, sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(group.q[i] >= lowest);
    CHECK(group.q[i] <= highest);
    sum += group.q[i];
    worst = std::max(worst, std::abs(x[i] - double(group.about.scale) * (group.q[i] - double(group.about.zero))) / group.about.scale);
  }
  CHECK(sum == group.about.sum);
  return worst;
}

std::vector<float> normal(std::int64_t count, Random& random, float deviation, float mean) {
  std::vector<float> x(static_cast<std::size_t>(count));
  for (float& v : x) v = mean + deviation * float(random.normal());
  return x;
}

}  // namespace

TEST_CASE("numbers of usual size stay within 0..127 and within a step, for every length") {
  Random random(1);
  for (std::int64_t count = 1; count <= 4 * test::two_batches; ++count) {
    for (const float lowest : {-1.f, 0.f, 2.f, -4.f}) {
      std::vector<float> x(static_cast<std::size_t>(count));
      // Of even sizes: none is much more than twice the mean size.
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = lowest + 2 * float(i % 16) / 15;
      // Half a step, and half a one of the zero's rounding at the ends.
      CHECK(worst_error(quantize(quantize_bulk, x), x, 0, 127) < 1.01);
    }
  }
}

TEST_CASE("numbers of unusual size leave the others their precision, and have the same themselves") {
  Random random(7);
  for (const float size : {30.f, -30.f}) {
    std::vector<float> x = normal(64, random, 1, 0);
    const double scale = quantize(quantize_bulk, x).about.scale;
    x[9] = size;
    const auto group = quantize(quantize_bulk, x);
    CHECK(group.about.scale < 2 * scale);  // not 10 times as large
    CHECK(std::abs(group.q[9]) > 4 * 64);
    CHECK(worst_error(group, x, -128 * 127, 128 * 127) < 0.501);
  }
  std::vector<float> alone(1024);
  alone[5] = -1e30f;
  CHECK(worst_error(quantize(quantize_bulk, alone), alone, -128 * 127, 128 * 127) < 0.501);
}

TEST_CASE("8-bit numbers stay within -127..127 and within half a step, for every length") {
  Random random(2);
  for (std::int64_t count = 1; count <= 4 * test::two_batches; ++count) {
    const std::vector<float> x = normal(count, random, 2, 1);
    CHECK(worst_error(quantize(quantize_8bit, x), x, -127, 127) < 0.501);
  }
}

TEST_CASE("zero stays exactly zero") {
  Random random(3);
  for (const float mean : {0.f, 3.f, -3.f}) {
    std::vector<float> x = normal(20, random, 1, mean);
    x[7] = 0;
    const auto group = quantize(quantize_bulk, x);
    CHECK(float(group.q[7]) == group.about.zero);
    CHECK(quantize(quantize_8bit, x).q[7] == 0);
  }
}

TEST_CASE("a group of zeros, or of numbers too small to divide by, becomes zeros") {
  for (const float value : {0.f, 1e-42f, -1e-42f}) {
    const std::vector<float> x(9, value);
    const auto check = [&](const auto& group) {
      CHECK(std::isfinite(group.about.scale));
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(float(group.q[i]) == group.about.zero);
    };
    check(quantize(quantize_bulk, x));
    check(quantize(quantize_8bit, x));
  }
}

TEST_CASE("the largest floats do not overflow") {
  const std::vector<float> x{3e38f, -3e38f, 1e38f, 0};
  const auto check = [&](const auto& group) {
    CHECK(std::isfinite(group.about.scale));
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(double(group.about.scale) * (group.q[i] - double(group.about.zero)) == doctest::Approx(x[i]).epsilon(0.02));
    }
  };
  check(quantize(quantize_bulk, x));
  check(quantize(quantize_8bit, x));
}

TEST_CASE("a number that is not finite shows in the scale, wherever it stands") {
  Random random(4);
  for (const float bad : {test::not_a_number, test::infinity, -test::infinity}) {
    for (std::size_t place = 0; place < std::size_t(test::two_batches); ++place) {
      std::vector<float> x = normal(test::two_batches, random, 1, 0);
      x[place] = bad;
      CHECK(std::isnan(quantize(quantize_bulk, x).about.scale));
      CHECK(std::isnan(quantize(quantize_8bit, x).about.scale));
    }
  }
}
