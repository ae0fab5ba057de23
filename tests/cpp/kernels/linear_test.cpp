#include "kernels/formats.h"
#include "kernels/reference.h"
#include "kernels/weights.h"
#include "support.h"

namespace webformer {

using namespace kernel_test;

namespace {

constexpr WeightType all_types[] = {WeightType::f32, WeightType::f16, WeightType::int8, WeightType::int4};

PackedWeights pack(WeightType type, ConstMatrix w) {
  PackedWeights packed(type, w.rows, w.cols);
  packed.fill(0, w);
  return packed;
}

/// W as the kernel sees it.
Numbers unpack(const PackedWeights& packed) {
  Numbers w(packed.rows(), packed.cols());
  for (std::int64_t n = 0; n < packed.rows(); ++n) packed.row(n, w.view().row(n));
  return w;
}

/// x as the kernels of quantized weights see it: group by group as small integers.
Numbers quantized(ConstMatrix x, std::int64_t group, Quantized (*quantize)(const float*, std::int64_t, std::int8_t*)) {
  Numbers seen(x.rows, x.cols);
  std::vector<std::int8_t> q(static_cast<std::size_t>(group));
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t first = 0; first < x.cols; first += group) {
      const std::int64_t count = std::min(group, x.cols - first);
      const Quantized about = quantize(x.row(i) + first, count, q.data());
      for (std::int64_t j = 0; j < count; ++j) seen.at(i, first + j) = about.scale * (float(q[std::size_t(j)]) - about.zero);
    }
  }
  return seen;
}

Numbers as_seen(WeightType type, ConstMatrix x) {
  if (type == WeightType::int8) return quantized(x, Int8Panels<FusedDot<Floats>>::group, quantize_7bit);
  if (type == WeightType::int4) return quantized(x, Int4Panels<FusedDot<Floats>>::group, quantize_8bit);
  Numbers same(x.rows, x.cols);
  for (std::int64_t i = 0; i < x.rows; ++i) std::copy_n(x.row(i), x.cols, same.view().row(i));
  return same;
}

/// The largest difference from the reference on the weights as kept and the inputs as quantized, as a share of the largest output.
double error(WeightType type, std::int64_t rows, std::int64_t outputs, std::int64_t inputs, bool with_bias, std::int64_t gap,
             std::int64_t shift, unsigned seed) {
  Randomness random(seed);
  Numbers x = random.matrix(rows, inputs, 1, gap, shift), w = random.matrix(outputs, inputs, 0.1f);
  const std::vector<float> bias = random.row(outputs);
  const PackedWeights packed = pack(type, w.view());
  Numbers seen = as_seen(type, x.view()), kept = unpack(packed), want(rows, outputs), got(rows, outputs, gap, shift);
  const float* b = with_bias ? bias.data() : nullptr;
  reference::linear(seen.view(), kept.view(), b, want.view());
  Workspace workspace;
  linear(x.view(), packed, b, got.view(), workspace);
  CHECK(got.kept_within_bounds());
  return difference(got.view(), want.view()) / std::max(1e-3, largest_size(want.view()));
}

constexpr double tolerance = 5e-6;  // float sums against double

}  // namespace

TEST_CASE("linear agrees with the reference on all small numbers of outputs and rows") {
  const std::int64_t most = 2 * lanes<Floats> * 2 + 1;
  for (WeightType type : all_types) {
    CAPTURE(name(type));
    for (std::int64_t outputs = 0; outputs <= most; ++outputs) {
      for (std::int64_t rows = 0; rows <= 14; ++rows) {
        CAPTURE(outputs);
        CAPTURE(rows);
        CHECK(error(type, rows, outputs, 40, true, 0, 0, unsigned(outputs * 100 + rows)) < tolerance);
      }
    }
  }
}

TEST_CASE("linear agrees with the reference on all small numbers of inputs") {
  for (WeightType type : all_types) {
    CAPTURE(name(type));
    for (std::int64_t inputs = 0; inputs <= 150; ++inputs) {
      CAPTURE(inputs);
      CHECK(error(type, 3, 21, inputs, inputs % 2, 3, 1, unsigned(inputs)) < tolerance);
    }
  }
}

TEST_CASE("linear agrees with the reference on random shapes, strides and alignments") {
  Randomness random(7);
  for (int i = 0; i < 40; ++i) {
    const WeightType type = all_types[i % 4];
    const std::int64_t rows = 1 + random.below(400), outputs = 1 + random.below(90), inputs = 1 + random.below(1500);
    CAPTURE(name(type));
    CAPTURE(rows);
    CAPTURE(outputs);
    CAPTURE(inputs);
    CHECK(error(type, rows, outputs, inputs, random.below(2) == 1, random.below(9), random.below(16), unsigned(i)) < tolerance);
  }
}

}  // namespace webformer
