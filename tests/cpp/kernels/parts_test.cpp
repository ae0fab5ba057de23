#include <algorithm>
#include <array>

#include "attention_setup.h"
#include "support.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

constexpr std::int64_t sizes[] = {1, 5, 64, 191, 193, 400};

}  // namespace

TEST_SUITE("kernels") {
  TEST_CASE("a product in parts has the bits of the whole, whatever the size of a part") {
    Random random(11);
    Workspace workspace;
    for (const WeightType type : {WeightType::f32, WeightType::f16, WeightType::int8, WeightType::int4}) {
      for (const std::int64_t rows : sizes) {
        const std::int64_t inputs = 70, outputs = 333;
        const RandomMatrix x(rows, inputs, random), w(outputs, inputs, random), bias(1, outputs, random);
        PackedWeights packed(type, outputs, inputs);
        packed.fill(0, w.view());
        RandomMatrix whole(rows, outputs, random);
        linear(x.view(), packed, bias.view().data, whole.view(), workspace);
        for (const std::int64_t operations : {std::int64_t(1), std::int64_t(1000000), part_operations}) {
          RandomMatrix cut(rows, outputs, random);
          LinearPlace at;
          int parts = 1;
          while (!linear_part(x.view(), packed, bias.view().data, cut.view(), at, workspace, operations)) ++parts;
          CAPTURE(rows);
          CHECK(test::worst_difference(whole.view(), cut.view()) == 0);
          if (operations == part_operations) CHECK(parts == (rows + 191) / 192);  // a block of 192 rows is the least of a part
          if (operations == 1) CHECK(parts > 1);
        }
      }
    }
  }

  TEST_CASE("no part of a product has more operations than it may, but for its last panels") {
    Random random(12);
    Workspace workspace;
    const std::int64_t rows = 200, operations = std::int64_t(1) << 25, several_panels = 128;
    for (const auto& [inputs, outputs, rows_at_once] : {std::array<std::int64_t, 3>{900, 3000, 192}, {3000, 900, 48}}) {
      const RandomMatrix x(rows, inputs, random);
      const PackedWeights weights(WeightType::f32, outputs, inputs);
      RandomMatrix y(rows, outputs, random);
      LinearPlace at;
      for (bool done = false; !done;) {
        const LinearPlace before = at;
        done = linear_part(x.view(), weights, nullptr, y.view(), at, workspace, operations);
        const std::int64_t cols = (at.col ? at.col : outputs) - before.col;
        CHECK(std::min(rows_at_once, rows - before.row) * inputs * (cols - several_panels) <= operations);
        if (at.col == 0) CHECK(at.row == std::min(before.row + rows_at_once, rows));
      }
      CHECK(test::largest_number(y.view()) == 0);  // all of it was written
    }
  }

  TEST_CASE("an attention in parts has the bits of the whole, under every mask, bias and dropout") {
    Random random(13);
    for (int i = 0; i < 60; ++i) {
      const int kv_heads = 1 + int(random.below(3)), heads = kv_heads * (1 + int(random.below(3)));
      test::AttentionSetup setup(1 + random.below(90), 1 + random.below(150), heads, kv_heads, 1 + int(random.below(20)), 7, random);
      setup.mix(random);
      Workspace workspace;
      std::vector<float> largest(std::size_t(heads * setup.args.query.rows)), sums = largest;
      setup.args.largest = largest.data();
      setup.args.sums = sums.data();
      attention(setup.args, workspace);
      const RandomMatrix whole = setup.output;
      const std::vector<float> whole_weights = setup.weights, whole_largest = largest, whole_sums = sums;
      std::ranges::fill(setup.output.data, 7.f);
      std::ranges::fill(setup.weights, 7.f);
      AttentionPlace at;
      while (!attention_part(setup.args, at, workspace, i % 2 ? 1 : 50000)) {
      }
      CHECK(test::worst_difference(whole.view(), setup.output.view()) == 0);
      CHECK(whole_weights == setup.weights);
      CHECK(whole_largest == largest);
      CHECK(whole_sums == sums);
    }
  }

  TEST_CASE("no part of an attention has more operations than it may") {
    Random random(14);
    test::AttentionSetup setup(300, 500, 4, 2, 32, 500, random);
    Workspace workspace;
    const std::int64_t of_all = 2 * 300 * 500 * 4 * 32, operations = of_all / 10;
    AttentionPlace at;
    int parts = 1;
    while (!attention_part(setup.args, at, workspace, operations)) ++parts;
    CHECK(parts >= 10);
    CHECK(parts <= 14);  // a part takes whole tiles of queries, which are smaller than it
  }
}
