#include "kernels/weights.h"

#include <algorithm>

#include "core/half.h"
#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

constexpr WeightType all_types[] = {WeightType::f32, WeightType::f16, WeightType::int8, WeightType::int4};

std::vector<float> row_of(const PackedWeights& packed, std::int64_t index) {
  std::vector<float> row(std::size_t(packed.cols()) + 1, 12345.f);
  packed.row(index, row.data());
  CHECK(row.back() == 12345.f);  // not a number more than asked for
  row.pop_back();
  return row;
}

/// How far row `i` of W may be from what is kept of it.
double allowed_error(WeightType type, const float* row, std::int64_t cols, std::int64_t at) {
  const auto largest = [](const float* from, std::int64_t count) {
    float size = 0;
    for (std::int64_t k = 0; k < count; ++k) size = std::max(size, std::abs(from[k]));
    return double(size);
  };
  switch (type) {
    case WeightType::f32: return 0;
    case WeightType::f16: return std::abs(double(row[at])) * 0x1p-11 + 0x1p-25;
    case WeightType::int8: return largest(row + at / 64 * 64, std::min<std::int64_t>(64, cols - at / 64 * 64)) / 127 * 0.501;
    case WeightType::int4: {
      const std::int64_t first = at / 32 * 32, count = std::min<std::int64_t>(32, cols - first);
      const auto [low, high] = std::minmax_element(row + first, row + first + count);
      // Half a step, or a tenth of the range where the ends were cut off, and the fit's move of either.
      return (double(*high) - *low) * 0.2 + largest(row + first, count) * 0x1p-10;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("each row comes back as near as its type allows, for every number of rows and columns") {
  Random random(1);
  for (const WeightType type : all_types) {
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{7}, test::two_batches, 2 * test::two_batches}) {
      for (std::int64_t cols = 0; cols <= 70; ++cols) {
        const RandomMatrix w(rows, cols, random);
        PackedWeights packed(type, rows, cols);
        packed.fill(0, w.view());
        for (std::int64_t i = 0; i < rows; ++i) {
          const std::vector<float> row = row_of(packed, i);
          for (std::int64_t k = 0; k < cols; ++k) {
            const double error = std::abs(double(row[std::size_t(k)]) - w.view().at(i, k)),
                         allowed = allowed_error(type, w.view().row(i), cols, k);
            if (error > allowed)
              FAIL_CHECK(name(type) << " row " << i << " of " << rows << ", column " << k << " of " << cols << ": " << error);
          }
        }
      }
    }
  }
}

TEST_CASE("int4 loses less than equal steps from the smallest number to the largest") {
  Random random(5);
  double ours = 0, equal_steps = 0;
  for (int i = 0; i < 200; ++i) {
    const RandomMatrix w(1, 32, random);
    PackedWeights packed(WeightType::int4, 1, 32);
    packed.fill(0, w.view());
    const std::vector<float> kept = row_of(packed, 0);
    const float* row = w.view().row(0);
    const auto [low, high] = std::minmax_element(row, row + 32);
    const double step = (double(*high) - *low) / 15;
    for (std::size_t k = 0; k < 32; ++k) {
      ours += std::pow(double(kept[k]) - row[k], 2);
      equal_steps += std::pow(*low + step * std::nearbyint((row[k] - *low) / step) - row[k], 2);
    }
  }
  CHECK(ours < 0.9 * equal_steps);
}

TEST_CASE("rows may be filled in any order and any number at a time") {
  Random random(2);
  const std::int64_t rows = 3 * test::two_batches, cols = 45;
  const RandomMatrix w(rows, cols, random);
  for (const WeightType type : all_types) {
    PackedWeights at_once(type, rows, cols), in_parts(type, rows, cols);
    at_once.fill(0, w.view());
    in_parts.fill(5, w.view().rows_from(5, rows - 5));
    for (std::int64_t i = 4; i >= 0; --i) in_parts.fill(i, w.view().rows_from(i, 1));
    CHECK(at_once.bytes() == in_parts.bytes());
    CHECK(std::equal(at_once.data(), at_once.data() + at_once.bytes(), in_parts.data()));
  }
}

TEST_CASE("a row that is filled again forgets what it was") {
  Random random(3);
  const RandomMatrix first(1, 70, random), second(1, 70, random);
  for (const WeightType type : all_types) {
    PackedWeights twice(type, 1, 70), once(type, 1, 70);
    twice.fill(0, first.view());
    twice.fill(0, second.view());
    once.fill(0, second.view());
    CHECK(std::equal(once.data(), once.data() + once.bytes(), twice.data()));
  }
}

TEST_CASE("the contents are zero until filled") {
  for (const WeightType type : all_types) {
    const PackedWeights packed(type, 9, 33);
    for (std::int64_t i = 0; i < 9; ++i)
      for (const float v : row_of(packed, i)) CHECK(v == 0);
  }
}

TEST_CASE("f16 keeps what was half precision before, subnormals too") {
  for (std::uint32_t first = 0; first < 0x7c00; first += 64) {
    std::vector<float> row(64);
    for (std::uint32_t k = 0; k < 64; ++k) row[k] = half_to_float(std::uint16_t(first + k)) * (k % 2 ? -1.f : 1.f);
    PackedWeights packed(WeightType::f16, 1, 64);
    packed.fill(0, ConstMatrix(row.data(), 1, 64));
    CHECK(row_of(packed, 0) == row);
  }
}

TEST_CASE("int4 keeps the numbers of GGUF's Q4_0 exactly") {
  Random random(4);
  for (int i = 0; i < 500; ++i) {
    // w = d (q - 8), d a half, q in 0..15: as ggml's dequantize_row_q4_0.
    const float d = half_to_float(float_to_half(float(random.normal()) * 0.02f));
    const int spread = 1 + int(random.below(16));
    std::vector<float> row(32);
    for (float& v : row) v = d * (float(random.below(std::uint32_t(spread))) - 8);
    PackedWeights packed(WeightType::int4, 1, 32);
    packed.fill(0, ConstMatrix(row.data(), 1, 32));
    CAPTURE(i);
    CHECK(row_of(packed, 0) == row);
  }
}

TEST_CASE("int8 keeps the largest number of a row exactly") {
  std::vector<float> row{0.5f, -2.f, 1.f};
  PackedWeights packed(WeightType::int8, 1, 3);
  packed.fill(0, ConstMatrix(row.data(), 1, 3));
  CHECK(row_of(packed, 0)[1] == doctest::Approx(-2));
}

TEST_CASE("bytes_for tells the size before anything is allocated, and types differ as they should") {
  for (const WeightType type : all_types) {
    for (const std::int64_t rows : {0, 1, 100}) CHECK(PackedWeights::bytes_for(type, rows, 100) == PackedWeights(type, rows, 100).bytes());
  }
  const double f32 = double(PackedWeights::bytes_for(WeightType::f32, 4096, 4096));
  CHECK(f32 == 4096.0 * 4096 * 4);
  CHECK(double(PackedWeights::bytes_for(WeightType::f16, 4096, 4096)) == f32 / 2);
  CHECK(double(PackedWeights::bytes_for(WeightType::int8, 4096, 4096)) < f32 / 4 * 1.13);
  CHECK(double(PackedWeights::bytes_for(WeightType::int4, 4096, 4096)) < f32 / 6.3);
}

TEST_CASE("weights that cannot fit are refused as out_of_memory") {
  for (const WeightType type : all_types) {
    try {
      const PackedWeights packed(type, std::int64_t(1) << 28, std::int64_t(1) << 28);
      FAIL("allocated");
    } catch (const Error& error) {
      CHECK(error.code() == Code::out_of_memory);
      CHECK(error.message().find("268435456") != std::string::npos);
    }
  }
}
