#include <functional>

#include "kernels/reference.h"
#include "support.h"

using namespace webformer;
using test::infinity, test::not_a_number, test::RandomMatrix;

namespace {

constexpr Activation activations[] = {Activation::identity, Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                      Activation::quick_gelu, Activation::silu, Activation::tanh, Activation::sigmoid};

/// Calls one(x) with a matrix of each width, of normal numbers times `deviation`, whose rows do not touch.
void for_each_width(std::int64_t first, float deviation, const std::function<void(RandomMatrix&)>& one) {
  Random random(1);
  for (std::int64_t cols = first; cols <= 4 * test::two_batches; ++cols) {
    RandomMatrix x(3, cols, random, deviation);
    CAPTURE(cols);
    one(x);
  }
}

/// Applies a kernel and its reference in place to copies of x. Gives the largest difference.
template <class Kernel, class Reference>
double difference(const RandomMatrix& x, Kernel kernel, Reference reference) {
  RandomMatrix got = x, expected = x;
  kernel(got.view());
  reference(expected.view());
  CHECK(test::changed_inside_only(x, got));
  return test::worst_difference(got.view(), expected.view());
}

}  // namespace

TEST_CASE("activations equal their formulas for every width") {
  for (const Activation activation : activations) {
    CAPTURE(int(activation));
    for (const float deviation : {0.1f, 1.f, 30.f}) {
      for_each_width(0, deviation, [&](RandomMatrix& x) {
        const auto kernel = [&](Matrix m) { activate(activation, m); };
        const auto formula = [&](Matrix m) { reference::activate(activation, m); };
        CHECK(difference(x, kernel, formula) <= 5e-7 * std::max(1.0, test::largest_number(x.view())));
      });
    }
  }
}

TEST_CASE("activations of numbers far out are their limits") {
  for (const Activation activation : activations) {
    for (const float x : {-1e30f, -200.f, -90.f, 90.f, 200.f, 1e30f}) {
      float y = x;
      activate(activation, Matrix(&y, 1, 1));
      CAPTURE(int(activation));
      CAPTURE(x);
      CHECK(double(y) == doctest::Approx(reference::activate(activation, x)).epsilon(1e-6));
    }
  }
}

TEST_CASE("NaN passes through every activation, in whole batches and in what is left of them") {
  for (const Activation activation : activations) {
    for (std::int64_t cols : {std::int64_t{1}, test::two_batches}) {
      std::vector<float> x(std::size_t(cols), not_a_number);
      activate(activation, Matrix(x.data(), 1, cols));
      CAPTURE(int(activation));
      for (const float v : x) CHECK(std::isnan(v));
    }
  }
}

TEST_CASE("gated activations multiply by the other half") {
  Random random(2);
  for (const Activation activation : activations) {
    for_each_width(0, 2, [&](RandomMatrix& gate) {
      const RandomMatrix up(gate.rows, gate.cols, random);
      const auto kernel = [&](Matrix m) { activate_gated(activation, m, up.view()); };
      const auto formula = [&](Matrix m) { reference::activate_gated(activation, m, up.view()); };
      CHECK(difference(gate, kernel, formula) < 1e-5);
    });
  }
}

TEST_CASE("layer norm equals its formula for every width, with and without weight and bias, in place too") {
  Random random(3);
  for_each_width(1, 3, [&](RandomMatrix& x) {
    const RandomMatrix weight(1, x.cols, random), bias(1, x.cols, random);
    for (const EpsilonPlace place : {EpsilonPlace::variance, EpsilonPlace::deviation}) {
      for (const float* w : {static_cast<const float*>(nullptr), weight.view().data}) {
        for (const float* b : {static_cast<const float*>(nullptr), bias.view().data}) {
          const auto kernel = [&](Matrix m) { layer_norm(m, w, b, 1e-2f, m, place); };
          const auto formula = [&](Matrix m) { reference::layer_norm(x.view(), w, b, 1e-2f, m, place); };
          CHECK(difference(x, kernel, formula) < 1e-5);
        }
      }
    }
    RandomMatrix other(x.rows, x.cols, random);
    const auto kernel = [&](Matrix m) { layer_norm(x.view(), weight.view().data, bias.view().data, 1e-5f, m); };
    const auto formula = [&](Matrix m) { reference::layer_norm(x.view(), weight.view().data, bias.view().data, 1e-5f, m); };
    CHECK(difference(other, kernel, formula) < 2e-5);
  });
}

TEST_CASE("layer norm is accurate for a mean that is large beside the deviation") {
  for_each_width(test::two_batches, 1, [](RandomMatrix& x) {
    for (std::int64_t j = 0; j < x.cols; ++j) x.view().at(0, j) += 1000;
    const auto kernel = [](Matrix m) { layer_norm(m, nullptr, nullptr, 1e-5f, m); };
    const auto formula = [](Matrix m) { reference::layer_norm(m, nullptr, nullptr, 1e-5f, m); };
    CHECK(difference(x, kernel, formula) < 1e-3);  // E[x^2] - E[x]^2 would be off by tenths
  });
}

TEST_CASE("RMS norm equals its formula for every width, with and without weight, in place too") {
  Random random(4);
  for_each_width(1, 3, [&](RandomMatrix& x) {
    const RandomMatrix weight(1, x.cols, random);
    for (const float offset : {0.f, 1.f}) {
      for (const float* w : {static_cast<const float*>(nullptr), weight.view().data}) {
        const auto kernel = [&](Matrix m) { rms_norm(m, w, offset, 1e-6f, m); };
        const auto formula = [&](Matrix m) { reference::rms_norm(x.view(), w, offset, 1e-6f, m); };
        CHECK(difference(x, kernel, formula) < 1e-5);
      }
    }
  });
}

TEST_CASE("softmax and log softmax equal their formulas for every width and for huge scores") {
  for (const float deviation : {1.f, 1e4f, 1e30f}) {
    for_each_width(0, deviation, [](RandomMatrix& x) {
      CHECK(difference(x, [](Matrix m) { softmax(m); }, [](Matrix m) { reference::softmax(m); }) < 1e-6);
      const double size = std::max(1.0, test::largest_number(x.view()));
      CHECK(difference(x, [](Matrix m) { log_softmax(m); }, [](Matrix m) { reference::log_softmax(m); }) <= 1e-6 * size);
    });
  }
}

TEST_CASE("a row that is all -inf becomes zeros, and -inf beside numbers becomes zero") {
  for (std::int64_t cols = 1; cols <= 2 * test::two_batches; ++cols) {
    std::vector<float> x(std::size_t(cols), -infinity);
    softmax(Matrix(x.data(), 1, cols));
    for (const float v : x) CHECK(v == 0);
    x.assign(std::size_t(cols), -infinity);
    x.front() = x.back() = 5;
    softmax(Matrix(x.data(), 1, cols));
    CHECK(x.back() == doctest::Approx(cols == 1 ? 1 : 0.5));
    for (std::int64_t j = 1; j + 1 < cols; ++j) CHECK(x[std::size_t(j)] == 0);
  }
}

TEST_CASE("softmax of a row with NaN or with +inf is NaN, even among -inf") {
  for (const float bad : {not_a_number, infinity}) {
    for (std::int64_t cols = 1; cols <= 2 * test::two_batches; ++cols) {
      for (const float rest : {0.f, -infinity}) {
        std::vector<float> x(std::size_t(cols), rest);
        x[std::size_t(cols / 2)] = bad;
        softmax(Matrix(x.data(), 1, cols));
        for (const float v : x) CHECK(std::isnan(v));
      }
    }
  }
}

TEST_CASE("add, scale and soft_cap equal their formulas for every width") {
  Random random(5);
  for_each_width(0, 20, [&](RandomMatrix& x) {
    const RandomMatrix y(x.rows, x.cols, random);
    CHECK(difference(x, [&](Matrix m) { add(m, y.view()); }, [&](Matrix m) { reference::add(m, y.view()); }) == 0);
    CHECK(difference(x, [](Matrix m) { scale(m, 0.7f); }, [](Matrix m) { reference::scale(m, 0.7f); }) < 5e-6);
    CHECK(difference(x, [](Matrix m) { soft_cap(m, 30); }, [](Matrix m) { reference::soft_cap(m, 30); }) < 1e-5);
  });
}

TEST_CASE("all_finite finds NaN and infinities anywhere") {
  for_each_width(0, 1e30f, [](RandomMatrix& x) {
    CHECK(all_finite(x.view()));
    for (const float bad : {infinity, -infinity, not_a_number}) {
      for (std::int64_t j = 0; j < x.cols; ++j) {
        RandomMatrix broken = x;
        broken.view().at(j % x.rows, j) = bad;
        CHECK_FALSE(all_finite(broken.view()));
      }
    }
  });
}

TEST_CASE("argmax gives the lowest index of the largest number, for every length") {
  for (std::int64_t count = 1; count <= 4 * test::two_batches; ++count) {
    std::vector<float> x(std::size_t(count), -2.f);
    for (std::int64_t best = count; best-- > 0;) {
      x[std::size_t(best)] = -1;  // one more of a tie, before the others
      CHECK(argmax(x) == best);
    }
  }
  CHECK(argmax(std::vector<float>{-infinity, -infinity}) == 0);
  CHECK(argmax(std::vector<float>{not_a_number, 1, infinity, not_a_number}) == 2);
}
