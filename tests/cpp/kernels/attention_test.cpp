#include "attention_setup.h"

using namespace webformer;
using test::RandomMatrix;
using Setup = test::AttentionSetup;

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

TEST_CASE("NaN in a query comes out as NaN in its row, and in no other") {
  Random random(5);
  for (const std::int64_t T : {1, 3, 8}) {
    Setup setup(T, 10, 2, 1, 8, 10, random);
    setup.query.view().at(T - 1, 0) = test::not_a_number;
    Workspace workspace;
    attention(setup.args, workspace);
    for (std::int64_t j = 0; j < 8; ++j) CHECK(std::isnan(setup.output.view().at(T - 1, j)));
    CHECK(all_finite(setup.output.view().rows_from(0, T - 1)));
    CHECK(all_finite(setup.output.view().cols_from(8, 8)));  // the other head
  }
}

TEST_CASE("NaN and infinity in keys and values come out where they are seen, and nowhere else") {
  Random random(6);
  for (const float bad : {test::not_a_number, test::infinity}) {
    for (const std::int64_t T : {1, 3, 20}) {
      for (const bool in_values : {false, true}) {
        for (const bool with_weights : {false, true}) {
          Setup setup(T, 90, 2, 1, 8, 32, random);
          const std::int64_t hidden = 70;  // by the mask from all queries but the last one
          setup.mask.assign(std::size_t(T * 90), 1);
          for (std::int64_t t = 0; t + 1 < T; ++t) setup.mask[std::size_t(t * 90 + hidden)] = 0;
          setup.args.mask = setup.mask.data();
          (in_values ? setup.values : setup.keys).view().at(hidden, 3) = bad;
          if (with_weights) {
            setup.weights.resize(std::size_t(2 * T * 90));
            setup.expected_weights = setup.weights;
            setup.args.weights = setup.weights.data();
          }
          setup.run();
          for (std::int64_t t = 0; t < T; ++t) {
            for (std::int64_t j = 0; j < 16; ++j) {
              const float got = setup.output.view().at(t, j), expected = setup.expected.view().at(t, j);
              CHECK(std::isfinite(got) == std::isfinite(expected));
              if (std::isfinite(expected)) CHECK(got == doctest::Approx(expected).epsilon(1e-4));
            }
          }
          CHECK(all_finite(setup.output.view().rows_from(0, T - 1)));
        }
      }
    }
  }
}

TEST_CASE("what causality and the window hide may hold anything") {
  Random random(7);
  for (const std::int64_t T : {1, 3, 40}) {
    Setup setup(T, 100, 2, 2, 16, 32, random);
    setup.args.offset = 30;
    setup.args.causal = true;
    setup.args.window = 20;
    for (std::int64_t s = 30 + T; s < 100; ++s) setup.keys.view().at(s, 0) = setup.values.view().at(s, 0) = test::not_a_number;
    for (std::int64_t s = 0; s <= 10; ++s) setup.keys.view().at(s, 5) = setup.values.view().at(s, 5) = test::not_a_number;
    setup.run();
    CHECK(setup.output_error() < 1e-5);
  }
}

TEST_CASE("attention writes to its output only and leaves the workspace as it was") {
  Random random(8);
  for (const std::int64_t T : {1, 9}) {
    Setup setup(T, 70, 4, 2, 12, 16, random);
    const RandomMatrix before = setup.output;
    Workspace workspace;
    attention(setup.args, workspace);
    CHECK(test::changed_inside_only(before, setup.output));
    CHECK(workspace.mark().used == 0);
    const std::size_t grown = workspace.bytes();
    attention(setup.args, workspace);
    CHECK(workspace.bytes() == grown);
  }
}

TEST_CASE("memory for attention without weights does not grow with the number of scores") {
  Random random(9);
  const auto bytes = [&](std::int64_t T, std::int64_t S) {
    Setup setup(T, S, 1, 1, 8, 64, random);
    Workspace workspace;
    attention(setup.args, workspace);
    return workspace.bytes();
  };
  CHECK(bytes(2000, 2000) <= std::size_t(1) << 18);  // the scores alone would take 16 MB
}
