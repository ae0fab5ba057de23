#include <algorithm>

#include "kernels/formats.h"
#include "kernels/reference.h"
#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

constexpr WeightType all_types[] = {WeightType::f32, WeightType::f16, WeightType::int8, WeightType::int4};

PackedWeights pack(WeightType type, ConstMatrix w) {
  PackedWeights packed(type, w.rows, w.cols);
  packed.fill(0, w);
  return packed;
}

/// x as the kernels of quantized weights see it: group by group as small integers.
template <class Q>
void quantize(Matrix x, std::int64_t group, Quantized (*quantize)(const float*, std::int64_t, Q*)) {
  std::vector<Q> q(static_cast<std::size_t>(group));
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t first = 0; first < x.cols; first += group) {
      const std::int64_t count = std::min(group, x.cols - first);
      float* numbers = x.row(i) + first;
      const Quantized about = quantize(numbers, count, q.data());
      for (std::int64_t j = 0; j < count; ++j) numbers[j] = about.scale * (float(q[std::size_t(j)]) - about.zero);
    }
  }
}

/// y by the kernel and by the reference, which gets the weights as they are kept and the inputs as they are quantized.
struct Product {
  RandomMatrix x, w, before, got, expected;
  std::vector<float> bias;

  Product(WeightType type, std::int64_t rows, std::int64_t outputs, std::int64_t inputs, bool with_bias, std::int64_t gap, Random& random)
      : x(rows, inputs, random, 1, gap),
        w(outputs, inputs, random, 0.1f),
        before(rows, outputs, random, 1, gap),
        got(before),
        expected(rows, outputs, random),
        bias(static_cast<std::size_t>(outputs)) {
    for (float& b : bias) b = float(random.normal());
    for (std::int64_t i = 0; i < rows && inputs > 0; i += 1 + random.below(3)) x.view().at(i, random.below(inputs)) *= 40;  // outliers
    const float* b = with_bias ? bias.data() : nullptr;
    const PackedWeights packed = pack(type, w.view());
    Workspace workspace;
    linear(x.view(), packed, b, got.view(), workspace);

    for (std::int64_t n = 0; n < outputs; ++n) packed.row(n, w.view().row(n));
    if (type == WeightType::int8) quantize(x.view(), Int8Panels<FusedDot<Floats>>::depth_block, quantize_bulk);
    if (type == WeightType::int4) quantize(x.view(), Int4Panels<FusedDot<Floats>>::group, quantize_8bit);
    reference::linear(x.view(), w.view(), b, expected.view());
    CHECK(test::changed_inside_only(before, got));
  }

  /// The largest difference, as a share of the largest output.
  double error() const {
    return test::worst_difference(got.view(), expected.view()) / std::max(1e-3, test::largest_number(expected.view()));
  }
};

constexpr double tolerance = 5e-6;  // sums of floats against sums of doubles

}  // namespace

TEST_CASE("linear equals the reference for all small numbers of outputs and rows") {
  Random random(1);
  for (const WeightType type : all_types) {
    CAPTURE(name(type));
    for (std::int64_t outputs = 0; outputs <= 2 * test::two_batches; ++outputs) {
      for (std::int64_t rows = 0; rows <= 14; ++rows) {
        CAPTURE(outputs);
        CAPTURE(rows);
        CHECK(Product(type, rows, outputs, 40, true, 0, random).error() < tolerance);
      }
    }
  }
}

TEST_CASE("linear equals the reference for all small numbers of inputs") {
  Random random(2);
  for (const WeightType type : all_types) {
    CAPTURE(name(type));
    for (std::int64_t inputs = 0; inputs <= 150; ++inputs) {
      CAPTURE(inputs);
      CHECK(Product(type, 3, 21, inputs, inputs % 2 == 1, 3, random).error() < tolerance);
    }
  }
}

TEST_CASE("linear equals the reference for random shapes and strides, in blocks of rows and of inputs") {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const WeightType type = all_types[i % 4];
    const std::int64_t rows = 1 + random.below(400), outputs = 1 + random.below(90), inputs = 1 + random.below(2200);
    CAPTURE(name(type));
    CAPTURE(rows);
    CAPTURE(outputs);
    CAPTURE(inputs);
    CHECK(Product(type, rows, outputs, inputs, random.below(2) == 1, random.below(9), random).error() < tolerance);
  }
}

TEST_CASE("a row's result does not depend on the rows beside it") {
  Random random(4);
  const std::int64_t rows = 200, outputs = 77, inputs = 1100;
  const RandomMatrix x(rows, inputs, random), w(outputs, inputs, random);
  for (const WeightType type : all_types) {
    const PackedWeights packed = pack(type, w.view());
    RandomMatrix all(rows, outputs, random), some(rows, outputs, random);
    Workspace workspace;
    linear(x.view(), packed, nullptr, all.view(), workspace);
    for (std::int64_t first = 0, count = 1; first + count <= rows; first += count, ++count) {
      linear(x.view().rows_from(first, count), packed, nullptr, some.view().rows_from(first, count), workspace);
      CAPTURE(name(type));
      CAPTURE(count);
      CHECK(test::identical(some.view().rows_from(first, count), all.view().rows_from(first, count)));
    }
  }
}

TEST_CASE("an input that is not finite shows in its row and in no other") {
  Random random(5);
  for (const WeightType type : all_types) {
    for (const float bad : {test::not_a_number, test::infinity, -test::infinity}) {
      RandomMatrix x(9, 300, random), y(9, 20, random);
      const RandomMatrix w(20, 300, random);
      x.view().at(4, 217) = bad;
      Workspace workspace;
      linear(x.view(), pack(type, w.view()), nullptr, y.view(), workspace);
      for (std::int64_t j = 0; j < 20; ++j) CHECK_FALSE(std::isfinite(y.view().at(4, j)));
      CHECK(all_finite(y.view().rows_from(0, 4)));
      CHECK(all_finite(y.view().rows_from(5, 4)));
    }
  }
}

TEST_CASE("quantized weights and inputs keep the direction of the result") {
  Random random(6);
  const std::int64_t rows = 64, outputs = 256, inputs = 1024;
  RandomMatrix x(rows, inputs, random);
  for (std::int64_t i = 0; i < rows; ++i) x.view().at(i, 100) *= 20;  // an outlier, as language models have
  const RandomMatrix w(outputs, inputs, random, 0.05f);
  RandomMatrix exact(rows, outputs, random), got(rows, outputs, random);
  reference::linear(x.view(), w.view(), nullptr, exact.view());
  const auto similarity = [&](WeightType type) {
    Workspace workspace;
    linear(x.view(), pack(type, w.view()), nullptr, got.view(), workspace);
    return test::cosine(got.view(), exact.view());
  };
  CHECK(similarity(WeightType::f16) > 0.9999999);
  CHECK(similarity(WeightType::int8) > 0.9995);
  CHECK(similarity(WeightType::int4) > 0.995);
}

TEST_CASE("linear allocates nothing once its workspace has grown") {
  Random random(7);
  const RandomMatrix x(70, 500, random), w(60, 500, random);
  RandomMatrix y(70, 60, random);
  for (const WeightType type : all_types) {
    const PackedWeights packed = pack(type, w.view());
    Workspace workspace;
    linear(x.view(), packed, nullptr, y.view(), workspace);
    const std::size_t grown = workspace.bytes();
    for (int i = 0; i < 10; ++i) linear(x.view(), packed, nullptr, y.view(), workspace);
    CHECK(workspace.bytes() == grown);
    CHECK(workspace.mark().used == 0);
  }
}
