#include "training/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "kernels/optimize.h"
#include "training/learning_rate.h"

using namespace webformer;

namespace {

std::vector<float> normal(std::size_t count, Random& random) {
  std::vector<float> x(count);
  for (float& v : x) v = float(random.normal());
  return x;
}

double worst(const std::vector<float>& got, const std::vector<double>& expected) {
  double difference = 0;
  for (std::size_t i = 0; i < got.size(); ++i) difference = std::max(difference, std::abs(got[i] - expected[i]));
  return difference;
}

}  // namespace

TEST_CASE("steps of sgd and Adam are those of their formulas at every size around a batch") {
  Random random(1);
  constexpr std::size_t most_lanes = 16;
  for (std::size_t size = 0; size <= 2 * most_lanes + 1; ++size) {
    CAPTURE(size);
    std::vector<float> w = normal(size, random), velocity = normal(size, random);
    std::vector<double> expected(w.begin(), w.end()), v(velocity.begin(), velocity.end());
    const std::vector<float> g = normal(size, random);
    const GradientChange change{.factor = 0.5f, .decay = 0.1f};
    for (std::size_t i = 0; i < size; ++i) {
      v[i] = 0.9 * v[i] + 0.5 * g[i] + 0.1 * expected[i];
      expected[i] -= 0.2 * v[i];
    }
    sgd_step(w, g, change, 0.2f, 0.9f, velocity);
    CHECK(worst(w, expected) < 1e-6);
    CHECK(worst(velocity, v) < 1e-6);
    for (std::size_t i = 0; i < size; ++i) expected[i] -= 0.2 * (0.5 * g[i] + 0.1 * expected[i]);
    sgd_step(w, g, change, 0.2f, 0, {});
    CHECK(worst(w, expected) < 1e-6);

    std::vector<float> mean = normal(size, random), variance = normal(size, random);
    for (float& x : variance) x = std::abs(x);
    std::vector<double> m(mean.begin(), mean.end()), s(variance.begin(), variance.end());
    for (std::size_t i = 0; i < size; ++i) {
      const double gradient = 0.5 * g[i] + 0.1 * expected[i];
      m[i] = 0.8 * m[i] + 0.2 * gradient;
      s[i] = 0.9 * s[i] + 0.1 * gradient * gradient;
      expected[i] = expected[i] * (1 - 0.2 * 0.3) - 0.2 * m[i] / 0.7 / (std::sqrt(s[i] / 0.4) + 0.01);
    }
    const AdamStep step{
        .rate = 0.2f, .beta1 = 0.8f, .beta2 = 0.9f, .epsilon = 0.01f, .decoupled_decay = 0.3f, .correction1 = 0.7f, .correction2 = 0.4f};
    adam_step(w, g, change, step, mean, variance);
    CHECK(worst(w, expected) < 3e-6);
    CHECK(worst(mean, m) < 1e-6);
    CHECK(worst(variance, s) < 1e-6);
  }
}

TEST_CASE("sums of squares keep their digits over many numbers") {
  const std::vector<float> x(3'000'001, 0.1f);
  CHECK(sum_of_squares(x) == doctest::Approx(3'000'001 * double(0.1f) * double(0.1f)).epsilon(1e-6));
}

TEST_CASE("an optimizer changes what is learned and nothing else") {
  Weight learned{.name = "a", .matrix = nullptr, .vector = std::make_shared<std::vector<float>>(3, 1.f)};
  Weight frozen{.name = "b", .matrix = std::make_shared<PackedWeights>(WeightType::int8, 2, 2), .vector = nullptr};
  Gradients gradients;
  gradients.add(*learned.vector);
  std::fill_n(gradients.of(*learned.vector), 3, 2.f);
  Optimizer optimizer({.kind = OptimizerKind::sgd}, {learned, frozen}, gradients);
  CHECK(optimizer.states().size() == 1);
  optimizer.step(0.25f, optimizer.gradient_norm());
  CHECK(*learned.vector == std::vector<float>(3, 0.5f));
}

TEST_CASE("a gradient that is not finite changes nothing") {
  Weight weight{.name = "a", .matrix = nullptr, .vector = std::make_shared<std::vector<float>>(3, 1.f)};
  Gradients gradients;
  gradients.add(*weight.vector);
  gradients.of(*weight.vector)[1] = std::numeric_limits<float>::quiet_NaN();
  Optimizer optimizer({}, {weight}, gradients);
  CHECK_THROWS_AS(optimizer.step(0.1f, optimizer.gradient_norm()), Error);
  CHECK(*weight.vector == std::vector<float>(3, 1.f));
  CHECK(optimizer.steps == 0);
}

TEST_CASE("hyperparameters out of range are refused by name, value and bound") {
  Gradients gradients;
  CHECK_THROWS_WITH_AS(Optimizer({.beta2 = 1}, {}, gradients), "beta2 1: at least 0 and less than 1 expected", Error);
  CHECK_THROWS_AS(Optimizer({.momentum = -0.5f}, {}, gradients), Error);
  CHECK_THROWS_AS(Optimizer({.epsilon = std::numeric_limits<float>::infinity()}, {}, gradients), Error);
  CHECK_THROWS_AS(Optimizer({.weight_decay = -1}, {}, gradients), Error);
}

TEST_CASE("schedules without a warm-up start at their peak, and end at 0 after all steps") {
  CHECK(learning_rate({.kind = RateKind::constant, .peak = 3}, 1) == 3);
  CHECK(learning_rate({.kind = RateKind::constant, .peak = 3, .warmup = 4}, 2) == 1.5);
  for (const RateKind kind : {RateKind::linear, RateKind::cosine}) {
    const RateSchedule schedule{.kind = kind, .peak = 2, .warmup = 0, .total = 10};
    CHECK(learning_rate(schedule, 5) == doctest::Approx(1));
    CHECK(learning_rate(schedule, 10) == doctest::Approx(0));
    CHECK(learning_rate(schedule, 11) == doctest::Approx(0));
  }
  CHECK(learning_rate({.kind = RateKind::noam, .peak = 1, .warmup = 0, .width = 4}, 4) == doctest::Approx(0.25));
}
