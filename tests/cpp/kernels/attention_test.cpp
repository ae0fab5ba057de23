#include <doctest/doctest.h>

#include <limits>

#include "kernels/reference.h"
#include "support/random_matrix.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

/// One random call of attention: shapes, blocks of keys, and any mixture of masks and biases.
struct Setup {
  RandomMatrix query, keys, values, output, expected;
  std::vector<const float*> key_blocks, value_blocks;
  std::vector<float> slopes, relative, bias, weights, expected_weights;
  std::vector<std::uint8_t> mask;
  AttentionArgs args;

  Setup(std::int64_t T, std::int64_t S, int heads, int kv_heads, int head_size, std::int64_t block, Random& random)
      : query(T, std::int64_t(heads) * head_size, random),
        keys(S, std::int64_t(kv_heads) * head_size, random),
        values(S, std::int64_t(kv_heads) * head_size, random),
        output(T, std::int64_t(heads) * head_size, random),
        expected(T, std::int64_t(heads) * head_size, random) {
    for (std::int64_t s = 0; s < std::max<std::int64_t>(S, 1); s += block) {
      key_blocks.push_back(keys.view().row(s));
      value_blocks.push_back(values.view().row(s));
    }
    args.query = query.view();
    args.output = output.view();
    args.memory = {key_blocks.data(), value_blocks.data(), S, block, keys.stride};
    args.heads = heads;
    args.kv_heads = kv_heads;
    args.head_size = head_size;
    args.scale = 1 / std::sqrt(float(head_size));
    args.offset = std::max<std::int64_t>(0, S - T);
  }

  void mix(Random& random) {
    const std::int64_t T = args.query.rows, S = args.memory.length, H = args.heads;
    const auto coin = [&] { return random.below(3) == 0; };
    const auto fill = [&](std::vector<float>& v, std::int64_t count) {
      v.resize(std::size_t(count));
      for (float& x : v) x = float(random.normal());
      return v.data();
    };
    args.causal = coin();
    if (coin()) args.window = 1 + random.below(std::uint32_t(S + 1));
    if (coin()) args.softcap = 2;
    if (coin()) {
      args.alibi_slopes = fill(slopes, H);
      for (float& slope : slopes) slope = std::min(std::abs(slope), 1.f) / 32;  // steep ones make scores of thousands, rounded to 1e-4
    }
    if (coin()) {
      args.relative_origin = args.offset + T;
      args.relative_count = args.relative_origin + S + 1;
      args.relative_bias = fill(relative, H * args.relative_count);
    }
    if (coin()) {
      args.bias_heads = coin() ? 1 : int(H);
      args.bias = fill(bias, args.bias_heads * T * S);
    }
    if (coin()) {
      mask.resize(std::size_t(T * S));
      for (auto& m : mask) m = std::uint8_t(random.below(2));
      args.mask = mask.data();
    }
    if (coin()) {
      weights.resize(std::size_t(H * T * S));
      expected_weights = weights;
      args.weights = weights.data();
    }
  }

  void run() {
    Workspace workspace;
    attention(args, workspace);
    AttentionArgs naive = args;
    naive.output = expected.view();
    if (args.weights) naive.weights = expected_weights.data();
    reference::attention(naive);
  }
  double output_error() const { return test::worst_difference(output.view(), expected.view()); }
  double weights_error() const {
    const auto count = std::int64_t(weights.size());
    return test::worst_difference(ConstMatrix(weights.data(), 1, count), ConstMatrix(expected_weights.data(), 1, count));
  }
};

}  // namespace

TEST_CASE("attention equals the reference for random shapes, masks and biases") {
  Random random(1);
  for (int i = 0; i < 600; ++i) {
    const int kv_heads = 1 + int(random.below(3)), heads = kv_heads * (1 + int(random.below(3)));
    const auto T = std::int64_t(random.below(i % 5 == 0 ? 120 : 9)), S = std::int64_t(random.below(i % 7 == 0 ? 1100 : 40));
    Setup setup(T, S, heads, kv_heads, 1 + int(random.below(40)), 1 + random.below(50), random);
    setup.mix(random);
    setup.run();
    CAPTURE(i);
    CAPTURE(T);
    CAPTURE(S);
    CAPTURE(setup.args.causal);
    CAPTURE(setup.args.window);
    CAPTURE(setup.args.mask == nullptr);
    CHECK(setup.output_error() < 2e-5);  // float sums of up to 1100 terms against double
    CHECK(setup.weights_error() < 1e-5);
  }
}

TEST_CASE("a query that may see nothing gets zeros, not NaN") {
  Random random(2);
  for (const std::int64_t T : {1, 2, 7}) {
    for (const bool with_weights : {false, true}) {
      Setup setup(T, 5, 2, 1, 8, 5, random);
      setup.mask.assign(std::size_t(T * 5), 1);
      std::fill_n(setup.mask.begin() + (T - 1) * 5, 5, std::uint8_t(0));
      setup.args.mask = setup.mask.data();
      if (with_weights) {
        setup.weights.resize(std::size_t(2 * T * 5), 9.f);
        setup.expected_weights = setup.weights;
        setup.args.weights = setup.weights.data();
      }
      setup.run();
      CHECK(setup.output_error() < 1e-5);
      for (std::int64_t j = 0; j < 16; ++j) CHECK(setup.output.view().at(T - 1, j) == 0);
      if (with_weights) CHECK(setup.weights[std::size_t(T * 5 - 1)] == 0);
    }
  }
}

TEST_CASE("no keys at all give zeros") {
  Random random(3);
  Setup setup(6, 0, 2, 2, 8, 4, random);
  setup.run();
  CHECK(test::largest_number(setup.output.view()) == 0);
}

TEST_CASE("very large scores pick one key and do not overflow") {
  Random random(4);
  for (const std::int64_t T : {1, 8}) {
    Setup setup(T, 30, 1, 1, 4, 30, random);
    setup.args.scale = 1e30f;
    setup.run();
    CHECK(setup.output_error() < 1e-6);
  }
}

TEST_CASE("NaN in a query comes out as NaN and is not hidden") {
  Random random(5);
  for (const std::int64_t T : {1, 8}) {
    Setup setup(T, 10, 1, 1, 8, 10, random);
    setup.query.view().at(0, 0) = std::numeric_limits<float>::quiet_NaN();
    Workspace workspace;
    attention(setup.args, workspace);
    CHECK(std::isnan(setup.output.view().at(0, 0)));
  }
}
