#include <algorithm>
#include "kernels/reference.h"

#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

constexpr Activation activations[] = {Activation::identity,   Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                      Activation::quick_gelu, Activation::silu, Activation::tanh, Activation::sigmoid};
constexpr EpsilonPlace places[] = {EpsilonPlace::variance, EpsilonPlace::deviation};

RandomMatrix zeros(std::int64_t rows, std::int64_t cols) {
  Random random(0);
  return {rows, cols, random, 0};
}

/// Weights of a norm, their gradients, and the same by the reference; gradients are added to what is there.
struct NormWeights {
  std::vector<float> weight, dweight, dbias, expected_dweight, expected_dbias;
  NormWeights(std::int64_t size, Random& random) {
    for (std::int64_t j = 0; j < size; ++j) weight.push_back(1 + 0.3f * float(random.normal()));
    dweight = dbias = expected_dweight = expected_dbias = weight;
  }
  double error() const {
    double worst = 0;
    for (std::size_t j = 0; j < weight.size(); ++j)
      worst = std::max({worst, std::abs(double(dweight[j]) - expected_dweight[j]), std::abs(double(dbias[j]) - expected_dbias[j])});
    return worst;
  }
};

}  // namespace

TEST_CASE("the gradients of activations equal the reference, in place too") {
  Random random(1);
  for (const Activation activation : activations) {
    CAPTURE(int(activation));
    for (std::int64_t cols = 0; cols <= test::two_batches; ++cols) {
      RandomMatrix x(3, cols, random, 3), up(3, cols, random), dy(3, cols, random), expected = dy, dx = dy, dup = dy, expected_dup = dy;
      reference::activate_backward(activation, x.view(), dy.view(), expected.view());
      activate_backward(activation, x.view(), dx.view(), dx.view());
      CHECK(test::worst_difference(dx.view(), expected.view()) < 3e-6);
      CHECK(test::changed_inside_only(dy, dx));

      dx = dy;
      reference::activate_gated_backward(activation, x.view(), up.view(), dy.view(), expected.view(), expected_dup.view());
      activate_gated_backward(activation, x.view(), up.view(), dx.view(), dx.view(), dup.view());
      CHECK(test::worst_difference(dx.view(), expected.view()) < 1e-5);
      CHECK(test::worst_difference(dup.view(), expected_dup.view()) < 1e-5);
    }
  }
}

TEST_CASE("the reference slopes of activations are those of their functions") {
  for (const Activation activation : activations) {
    CAPTURE(int(activation));
    for (double x = -6.05; x < 6; x += 0.1) {
      const double h = 1e-5;
      const double expected = (reference::activate(activation, x + h) - reference::activate(activation, x - h)) / (2 * h);
      CHECK(reference::slope(activation, x) == doctest::Approx(expected).epsilon(1e-6));
    }
  }
}

TEST_CASE("the gradients of layer norm equal the reference, in place too") {
  Random random(2);
  for (const EpsilonPlace place : places) {
    for (std::int64_t cols = 1; cols <= test::two_batches; ++cols) {
      CAPTURE(cols);
      RandomMatrix x(3, cols, random, 2), dy(3, cols, random), dx = dy, expected = dy;
      NormWeights w(cols, random);
      const float* weight = cols % 3 == 0 ? nullptr : w.weight.data();
      reference::layer_norm_backward(x.view(), weight, 0.1f, dy.view(), expected.view(), w.expected_dweight.data(), w.expected_dbias.data(),
                                     place);
      layer_norm_backward(x.view(), weight, 0.1f, dx.view(), dx.view(), w.dweight.data(), w.dbias.data(), place);
      CHECK(test::worst_difference(dx.view(), expected.view()) < 2e-5);
      CHECK(w.error() < 2e-5);
      CHECK(test::changed_inside_only(dy, dx));
    }
  }
}

TEST_CASE("the gradients of RMS norm equal the reference, in place too") {
  Random random(3);
  for (std::int64_t cols = 1; cols <= test::two_batches; ++cols) {
    CAPTURE(cols);
    RandomMatrix x(3, cols, random, 2), dy(3, cols, random), dx = dy, expected = dy;
    NormWeights w(cols, random);
    const float* weight = cols % 3 == 0 ? nullptr : w.weight.data();
    const float offset = cols % 2 ? 1 : 0;
    reference::rms_norm_backward(x.view(), weight, offset, 1e-3f, dy.view(), expected.view(), w.expected_dweight.data());
    rms_norm_backward(x.view(), weight, offset, 1e-3f, dx.view(), dx.view(), w.dweight.data());
    CHECK(test::worst_difference(dx.view(), expected.view()) < 2e-5);
    CHECK(w.error() < 2e-5);
  }
}

TEST_CASE("the reference gradients of norms are the slopes of their outputs") {
  Random random(4);
  RandomMatrix x(2, 7, random), dy(2, 7, random), y = x, dx = x;
  NormWeights w(7, random);
  Matrix weight(w.weight.data(), 1, 7);
  std::vector<float> dweight(7), bias(7, 0.3f), dbias(7);
  for (const EpsilonPlace place : places) {
    const auto loss = [&] {
      reference::layer_norm(x.view(), weight.data, bias.data(), 0.2f, y.view(), place);
      return test::product(y.view(), dy.view());
    };
    std::fill(dweight.begin(), dweight.end(), 0.f);
    std::fill(dbias.begin(), dbias.end(), 0.f);
    reference::layer_norm_backward(x.view(), weight.data, 0.2f, dy.view(), dx.view(), dweight.data(), dbias.data(), place);
    CHECK(test::worst_difference(dx.view(), test::numeric_gradient(x.view(), loss)) < 1e-3);
    CHECK(test::worst_difference(ConstMatrix(dweight.data(), 1, 7), test::numeric_gradient(weight, loss)) < 1e-3);
    CHECK(test::worst_difference(ConstMatrix(dbias.data(), 1, 7), test::numeric_gradient(Matrix(bias.data(), 1, 7), loss)) < 1e-3);
  }
  const auto loss = [&] {
    reference::rms_norm(x.view(), weight.data, 1, 0.2f, y.view());
    return test::product(y.view(), dy.view());
  };
  std::fill(dweight.begin(), dweight.end(), 0.f);
  reference::rms_norm_backward(x.view(), weight.data, 1, 0.2f, dy.view(), dx.view(), dweight.data());
  CHECK(test::worst_difference(dx.view(), test::numeric_gradient(x.view(), loss)) < 1e-3);
  CHECK(test::worst_difference(ConstMatrix(dweight.data(), 1, 7), test::numeric_gradient(weight, loss)) < 1e-3);
}

TEST_CASE("a row without variance has a finite gradient where epsilon is added to the deviation") {
  RandomMatrix x = zeros(1, 9), dx = x;
  Random random(5);
  RandomMatrix dy(1, 9, random);
  layer_norm_backward(x.view(), nullptr, 1e-3f, dy.view(), dx.view(), nullptr, nullptr, EpsilonPlace::deviation);
  CHECK(all_finite(dx.view()));
}

TEST_CASE("the gradients of softmax, log softmax and soft cap equal the reference, whose slopes are right") {
  Random random(6);
  for (std::int64_t cols = 0; cols <= test::two_batches; ++cols) {
    CAPTURE(cols);
    RandomMatrix x(2, cols, random), dy(2, cols, random), y = x, dx = dy, expected = dy;
    const auto check = [&](auto forward, auto backward, auto naive_forward, auto naive_backward) {
      y = x;
      forward(y.view());
      dx = dy;
      backward(y.view(), dx.view(), dx.view());
      naive_backward(y.view(), dy.view(), expected.view());
      CHECK(test::worst_difference(dx.view(), expected.view()) < 3e-6);
      const auto loss = [&] {
        RandomMatrix z = x;
        naive_forward(z.view());
        return test::product(z.view(), dy.view());
      };
      if (cols == 5) CHECK(test::worst_difference(expected.view(), test::numeric_gradient(x.view(), loss)) < 1e-3);
    };
    check([](Matrix m) { softmax(m); }, softmax_backward, [](Matrix m) { reference::softmax(m); }, reference::softmax_backward);
    check([](Matrix m) { log_softmax(m); }, log_softmax_backward, [](Matrix m) { reference::log_softmax(m); },
          reference::log_softmax_backward);
    check([](Matrix m) { soft_cap(m, 2); }, [](ConstMatrix a, ConstMatrix b, Matrix c) { soft_cap_backward(a, 2, b, c); },
          [](Matrix m) { reference::soft_cap(m, 2); },
          [](ConstMatrix a, ConstMatrix b, Matrix c) { reference::soft_cap_backward(a, 2, b, c); });
  }
}

TEST_CASE("the gradient of rope turns back: rope is orthogonal but for its magnitude") {
  Random random(7);
  for (const RopeLayout layout : {RopeLayout::half, RopeLayout::interleaved}) {
    RandomMatrix x(4, 3 * 10, random), dy(4, 3 * 10, random), y = x, dx = dy, expected = dy;
    const std::int32_t positions[] = {0, 5, 1000, 7};
    const float frequencies[] = {1, 0.5f, 0.25f};
    rope_backward(dx.view(), 3, 10, 6, layout, positions, frequencies, 1.25f);
    reference::rope_backward(expected.view(), 3, 10, 6, layout, positions, frequencies, 1.25f);
    CHECK(test::worst_difference(dx.view(), expected.view()) < 1e-5);
    rope(y.view(), 3, 10, 6, layout, positions, frequencies, 1.25f);
    CHECK(test::product(y.view(), dy.view()) == doctest::Approx(test::product(x.view(), dx.view())));  // <Rx, dy> = <x, R^T dy>
  }
}

TEST_CASE("dropout keeps the share 1 - rate, leaves the mean as it is, and follows from its seed") {
  Random random(8);
  for (const float rate : {0.1f, 0.5f, 0.9f}) {
    RandomMatrix x(300, 333, random), once = x, again = x, other = x;
    for (float& v : x.data) v = 1;
    once = again = other = x;
    dropout(once.view(), rate, 42);
    dropout(again.view(), rate, 42);
    dropout(other.view(), rate, 43);
    double kept = 0, total = 0, both = 0;
    for (std::int64_t i = 0; i < 300; ++i) {
      for (std::int64_t j = 0; j < 333; ++j) {
        const float v = once.view().at(i, j);
        CHECK_UNARY(v == 0 || std::abs(v - 1 / (1 - rate)) < 1e-6f);
        kept += v != 0;
        total += v;
        both += v != 0 && other.view().at(i, j) != 0;
      }
    }
    const double count = 300 * 333, deviation = std::sqrt(rate * (1 - rate) * count);
    CHECK(std::abs(kept - (1 - rate) * count) < 4 * deviation);
    CHECK(total / count == doctest::Approx(1).epsilon(4 * deviation / count / (1 - rate)));
    CHECK(both / count == doctest::Approx((1 - rate) * (1 - rate)).epsilon(0.05));  // another seed drops others
    CHECK(test::identical(once.view(), again.view()));
    CHECK(test::changed_inside_only(x, once));
  }
}

TEST_CASE("dropped numbers are zero even where they were not finite, and a rate of 0 drops nothing") {
  std::vector<float> x(1000, test::infinity);
  dropout(Matrix(x.data(), 1, 1000), 0.5f, 1);
  CHECK(std::ranges::count(x, 0.f) > 400);
  CHECK(std::ranges::count(x, test::infinity) > 400);
  std::vector<float> y(10, 3.f);
  dropout(Matrix(y.data(), 1, 10), 0, 1);
  CHECK(std::ranges::count(y, 3.f) == 10);
}

TEST_CASE("cross-entropy and its gradient equal the reference, with ignored rows and smoothed labels") {
  Random random(9);
  for (std::int64_t cols = 1; cols <= test::two_batches; ++cols) {
    for (const float smoothing : {0.f, 0.1f}) {
      CAPTURE(cols);
      RandomMatrix logits(6, cols, random, 4), dx = logits, expected = logits;
      std::vector<std::int32_t> labels;
      for (int i = 0; i < 6; ++i) labels.push_back(i == 2 ? ignored_label : std::int32_t(random.below(std::uint32_t(cols))));
      const CrossEntropy got = cross_entropy(logits.view(), labels.data(), smoothing),
                         want = reference::cross_entropy(logits.view(), labels.data(), smoothing);
      CHECK(got.counted == 5);
      CHECK(want.counted == 5);
      CHECK(std::abs(got.total - want.total) < 1e-5 * std::max(1.0, want.total));
      cross_entropy_backward(dx.view(), labels.data(), smoothing, 0.2f, dx.view());
      reference::cross_entropy_backward(logits.view(), labels.data(), smoothing, 0.2f, expected.view());
      CHECK(test::worst_difference(dx.view(), expected.view()) < 1e-6);
      const auto loss = [&] { return 0.2 * reference::cross_entropy(logits.view(), labels.data(), smoothing).total; };
      if (cols == 5) CHECK(test::worst_difference(expected.view(), test::numeric_gradient(logits.view(), loss)) < 1e-4);
    }
  }
}

TEST_CASE("cross-entropy keeps its digits where all logits are large") {
  const float logits[] = {10000, 10001, 9999};
  const std::int32_t label = 1;
  CHECK(cross_entropy(ConstMatrix(logits, 1, 3), &label).total ==
        doctest::Approx(std::log(1 + std::exp(-1.0) + std::exp(-2.0))).epsilon(1e-6));
}
