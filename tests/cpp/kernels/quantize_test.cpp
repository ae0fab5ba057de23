#include "kernels/quantize.h"

#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

constexpr std::int64_t longest = 4 * test::two_batches;

struct Group {
  std::int8_t q[longest];
  Quantized about;
};

template <class Quantize>
Group quantize(Quantize f, const std::vector<float>& x) {
  Group group;
  group.about = f(x.data(), std::int64_t(x.size()), group.q);
  return group;
}

/// The largest |x - scale (q - zero)|, in units of the scale; every q must be within the bounds.
double worst_error(const Group& group, const std::vector<float>& x, int lowest, int highest) {
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

TEST_CASE("7-bit numbers stay within 0..127 and within a step, for every length") {
  Random random(1);
  for (std::int64_t count = 1; count <= longest; ++count) {
    for (const float mean : {0.f, 5.f, -5.f}) {
      const std::vector<float> x = normal(count, random, 2, mean);
      CHECK(worst_error(quantize(quantize_7bit, x), x, 0, 127) < 1.01);  // half a step, and half a one of the zero's rounding at the ends
    }
  }
}

TEST_CASE("8-bit numbers stay within -127..127 and within half a step, for every length") {
  Random random(2);
  for (std::int64_t count = 1; count <= longest; ++count) {
    const std::vector<float> x = normal(count, random, 2, 1);
    CHECK(worst_error(quantize(quantize_8bit, x), x, -127, 127) < 0.501);
  }
}

TEST_CASE("zero stays exactly zero") {
  Random random(3);
  for (const float mean : {0.f, 3.f, -3.f}) {
    std::vector<float> x = normal(20, random, 1, mean);
    x[7] = 0;
    const Group seven = quantize(quantize_7bit, x), eight = quantize(quantize_8bit, x);
    CHECK(float(seven.q[7]) == seven.about.zero);
    CHECK(eight.q[7] == 0);
  }
}

TEST_CASE("a group of zeros, or of numbers too small to divide by, becomes zeros") {
  for (const float value : {0.f, 1e-42f, -1e-42f}) {
    const std::vector<float> x(9, value);
    for (const Group& group : {quantize(quantize_7bit, x), quantize(quantize_8bit, x)}) {
      CHECK(std::isfinite(group.about.scale));
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(float(group.q[i]) == group.about.zero);
    }
  }
}

TEST_CASE("the largest floats do not overflow") {
  const std::vector<float> x{3e38f, -3e38f, 1e38f, 0};
  for (const Group& group : {quantize(quantize_7bit, x), quantize(quantize_8bit, x)}) {
    CHECK(std::isfinite(group.about.scale));
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(double(group.about.scale) * (group.q[i] - double(group.about.zero)) == doctest::Approx(x[i]).epsilon(0.02));
    }
  }
}

TEST_CASE("a number that is not finite shows in the scale, wherever it stands") {
  Random random(4);
  for (const float bad : {test::not_a_number, test::infinity, -test::infinity}) {
    for (std::size_t place = 0; place < std::size_t(test::two_batches); ++place) {
      std::vector<float> x = normal(test::two_batches, random, 1, 0);
      x[place] = bad;
      CHECK(std::isnan(quantize(quantize_7bit, x).about.scale));
      CHECK(std::isnan(quantize(quantize_8bit, x).about.scale));
    }
  }
}
