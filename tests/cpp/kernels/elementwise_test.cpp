#include <doctest/doctest.h>

#include <limits>

#include "kernels/reference.h"
#include "support/random_matrix.h"

using namespace webformer;
using test::RandomMatrix;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Activation activations[] = {Activation::identity,   Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                      Activation::quick_gelu, Activation::silu, Activation::tanh, Activation::sigmoid};
}  // namespace

TEST_CASE("activations equal their formulas from -100 to 100, for every length") {
  for (const Activation activation : activations) {
    for (std::int64_t cols = 0; cols <= 35; ++cols) {
      std::vector<float> x(std::size_t(cols), 0.f), y;
      for (std::int64_t j = 0; j < cols; ++j) x[std::size_t(j)] = float((j * 37 % 101) - 50) * (cols % 3 == 0 ? 2.f : 0.1f);
      y = x;
      activate(activation, Matrix(y.data(), 1, cols));
      for (std::int64_t j = 0; j < cols; ++j) {
        const double expected = reference::activate(activation, x[std::size_t(j)]);
        CAPTURE(int(activation));
        CAPTURE(x[std::size_t(j)]);
        CHECK(std::abs(y[std::size_t(j)] - expected) <= 2e-6 * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST_CASE("gated activations multiply by the other half") {
  Random random(1);
  const RandomMatrix up(3, 21, random);
  RandomMatrix gate(3, 21, random);
  const RandomMatrix before = gate;
  activate_gated(Activation::silu, gate.view(), up.view());
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 21; ++j) {
      CHECK(gate.view().at(i, j) ==
            doctest::Approx(reference::activate(Activation::silu, before.view().at(i, j)) * up.view().at(i, j)).epsilon(1e-5));
    }
  }
}

TEST_CASE("NaN passes through every activation") {
  for (const Activation activation : activations) {
    for (std::int64_t cols : {1, 16}) {
      std::vector<float> x(std::size_t(cols), std::numeric_limits<float>::quiet_NaN());
      activate(activation, Matrix(x.data(), 1, cols));
      CAPTURE(int(activation));
      CHECK(std::isnan(x[0]));
    }
  }
}

TEST_CASE("norms equal their formulas for every width") {
  Random random(2);
  for (std::int64_t cols = 1; cols <= 70; ++cols) {
    const RandomMatrix x(2, cols, random, 3), weight(1, cols, random), bias(1, cols, random);
    RandomMatrix y(2, cols, random), expected(2, cols, random);
    layer_norm(x.view(), weight.view().data, bias.view().data, 1e-5f, y.view());
    reference::layer_norm(x.view(), weight.view().data, bias.view().data, 1e-5f, expected.view());
    CHECK(test::worst_difference(y.view(), expected.view()) < 1e-5);
    layer_norm(x.view(), nullptr, nullptr, 1e-5f, y.view());
    reference::layer_norm(x.view(), nullptr, nullptr, 1e-5f, expected.view());
    CHECK(test::worst_difference(y.view(), expected.view()) < 1e-5);
    for (const float offset : {0.f, 1.f}) {
      rms_norm(x.view(), weight.view().data, offset, 1e-6f, y.view());
      reference::rms_norm(x.view(), weight.view().data, offset, 1e-6f, expected.view());
      CHECK(test::worst_difference(y.view(), expected.view()) < 1e-5);
    }
    RandomMatrix in_place = x;
    rms_norm(in_place.view(), weight.view().data, 0, 1e-6f, in_place.view());
    reference::rms_norm(x.view(), weight.view().data, 0, 1e-6f, expected.view());
    CHECK(test::worst_difference(in_place.view(), expected.view()) < 1e-5);
  }
}

TEST_CASE("softmax sums to one, and equals the reference for every length and for huge scores") {
  Random random(3);
  for (std::int64_t cols = 1; cols <= 70; ++cols) {
    RandomMatrix x(3, cols, random, cols % 2 ? 1.f : 1e4f);
    RandomMatrix expected = x, log_x = x, log_expected = x;
    softmax(x.view());
    reference::softmax(expected.view());
    CHECK(test::worst_difference(x.view(), expected.view()) < 1e-6);
    log_softmax(log_x.view());
    reference::log_softmax(log_expected.view());
    CHECK(test::worst_difference(log_x.view(), log_expected.view()) <= 1e-6 * std::max(1.0, test::largest_number(log_expected.view())));
  }
}

TEST_CASE("a row that is all -inf becomes zeros, and -inf beside numbers becomes zero") {
  std::vector<float> x(19, -infinity);
  softmax(Matrix(x.data(), 1, 19));
  for (const float v : x) CHECK(v == 0);
  x.assign(19, -infinity);
  x[3] = 5, x[18] = 5;
  softmax(Matrix(x.data(), 1, 19));
  CHECK(x[3] == doctest::Approx(0.5));
  CHECK(x[18] == doctest::Approx(0.5));
  CHECK(x[0] == 0);
}

TEST_CASE("rope turns pairs by position times frequency, in both layouts, and leaves the rest of a head") {
  Random random(4);
  for (const RopeLayout layout : {RopeLayout::half, RopeLayout::interleaved}) {
    for (const int rotated : {2, 6, 8}) {
      RandomMatrix x(5, 3 * 8, random);
      RandomMatrix expected = x;
      const std::vector<std::int32_t> positions{0, 1, 2, 7, 4000};
      const std::vector<float> frequencies{1, 0.1f, 0.01f, 0.001f};
      rope(x.view(), 3, 8, rotated, layout, positions.data(), frequencies.data(), 1.5f);
      reference::rope(expected.view(), 3, 8, rotated, layout, positions.data(), frequencies.data(), 1.5f);
      CHECK(test::worst_difference(x.view(), expected.view()) < 2e-3);  // an angle of 4000 has 2^-12 radians of rounding in float
      RandomMatrix near = x;
      CHECK(test::worst_difference(x.view().rows_from(0, 4), expected.view().rows_from(0, 4)) < 1e-5);
    }
  }
}

TEST_CASE("add, scale, soft_cap, all_finite and argmax do what they say for every length") {
  Random random(5);
  for (std::int64_t cols = 1; cols <= 35; ++cols) {
    RandomMatrix x(2, cols, random);
    const RandomMatrix before = x, y(2, cols, random);
    add(x.view(), y.view());
    scale(x.view(), 2);
    for (std::int64_t j = 0; j < cols; ++j) CHECK(x.view().at(1, j) == 2 * (before.view().at(1, j) + y.view().at(1, j)));
    soft_cap(x.view(), 1.5f);
    for (std::int64_t j = 0; j < cols; ++j) {
      CHECK(x.view().at(1, j) == doctest::Approx(1.5 * std::tanh(2.0 * (before.view().at(1, j) + y.view().at(1, j)) / 1.5)).epsilon(1e-5));
    }
    CHECK(all_finite(x.view()));
    for (const float bad : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
      RandomMatrix broken = x;
      broken.view().at(1, cols - 1) = bad;
      CHECK_FALSE(all_finite(broken.view()));
    }
  }
  CHECK(argmax(std::vector<float>{1, 3, 3, 2}) == 1);  // the lowest of a tie
  CHECK(argmax(std::vector<float>{-infinity, -infinity}) == 0);
}
