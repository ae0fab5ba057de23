#include "attention_setup.h"

using namespace webformer;
using test::RandomMatrix;

namespace {

/// A random call of attention with gradients of its output, and what comes back to its inputs.
struct Backward : test::AttentionSetup {
  RandomMatrix d_output, d_query, d_keys, d_values;
  std::vector<float> d_weights, d_relative, d_bias, largest, sums;
  AttentionGradients gradients;

  Backward(std::int64_t T, std::int64_t S, int heads, int kv_heads, int head_size, std::int64_t block, Random& random)
      : AttentionSetup(T, S, heads, kv_heads, head_size, block, random),
        d_output(T, std::int64_t(heads) * head_size, random),
        d_query(T, std::int64_t(heads) * head_size, random),
        d_keys(S, std::int64_t(kv_heads) * head_size, random),
        d_values(S, std::int64_t(kv_heads) * head_size, random) {
    mix(random);
    largest.resize(std::size_t(heads * T));
    sums = largest;
    args.largest = largest.data();
    args.sums = sums.data();
    d_weights.resize(weights.size());
    for (float& d : d_weights) d = float(random.normal());
    d_relative.resize(relative.size());
    d_bias.resize(bias.size());
  }

  /// The forward, then what `back` makes of it.
  template <class Back>
  void run(Back back) {
    Workspace workspace;
    attention(args, workspace);
    gradients = {.output = d_output.view(),
                 .weights = d_weights.empty() ? nullptr : d_weights.data(),
                 .query = d_query.view(),
                 .keys = d_keys.view(),
                 .values = d_values.view(),
                 .relative_bias = d_relative.empty() ? nullptr : d_relative.data(),
                 .bias = d_bias.empty() ? nullptr : d_bias.data()};
    back(args, gradients);
  }

  double loss() {
    reference::attention(args);
    const auto count = std::int64_t(weights.size());
    return test::product(output.view(), d_output.view()) +
           test::product(ConstMatrix(weights.data(), 1, count), ConstMatrix(d_weights.data(), 1, count));
  }
};

Matrix row(std::vector<float>& x) { return {x.data(), 1, std::int64_t(x.size())}; }

void by_kernel(const AttentionArgs& args, const AttentionGradients& gradients) {
  Workspace workspace;
  attention_backward(args, gradients, workspace);
  CHECK(workspace.mark().used == 0);
}

}  // namespace

TEST_CASE("the gradients of attention equal the reference for random shapes, masks, biases and dropout") {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const int kv_heads = 1 + int(random.below(3)), heads = kv_heads * (1 + int(random.below(3)));
    const auto T = std::int64_t(random.below(i % 5 == 0 ? 120 : 9)), S = std::int64_t(random.below(i % 7 == 0 ? 300 : 40));
    const Random before = random;
    const int size = 1 + int(random.below(40));
    Backward got(T, S, heads, kv_heads, size, 1 + random.below(50), random);
    random = before;
    (void)random.below(40);
    Backward expected(T, S, heads, kv_heads, size, 1 + random.below(50), random);
    got.run(by_kernel);
    expected.run(reference::attention_backward);
    CAPTURE(i);
    CAPTURE(T);
    CAPTURE(S);
    CAPTURE(got.args.causal);
    CAPTURE(got.args.window);
    CAPTURE(got.args.softcap);
    CAPTURE(got.args.dropout);
    CHECK(test::worst_difference(got.d_query.view(), expected.d_query.view()) < 1e-4);
    CHECK(test::worst_difference(got.d_keys.view(), expected.d_keys.view()) < 1e-4);
    CHECK(test::worst_difference(got.d_values.view(), expected.d_values.view()) < 1e-4);
    CHECK(test::worst_difference(row(got.d_relative), row(expected.d_relative)) < 1e-4);
    CHECK(test::worst_difference(row(got.d_bias), row(expected.d_bias)) < 1e-4);
  }
}

TEST_CASE("the reference gradients of attention are the slopes of its output and its weights") {
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    CAPTURE(i);
    Backward b(3, 5, 4, 2, 3, 2, random);
    for (RandomMatrix* zeroed : {&b.d_query, &b.d_keys, &b.d_values}) std::fill(zeroed->data.begin(), zeroed->data.end(), 0.f);
    b.run(reference::attention_backward);
    const auto loss = [&] { return b.loss(); };
    CHECK(test::worst_difference(b.d_query.view(), test::numeric_gradient(b.query.view(), loss)) < 3e-3);
    CHECK(test::worst_difference(b.d_keys.view(), test::numeric_gradient(b.keys.view(), loss)) < 3e-3);
    CHECK(test::worst_difference(b.d_values.view(), test::numeric_gradient(b.values.view(), loss)) < 3e-3);
    CHECK(test::worst_difference(row(b.d_relative), test::numeric_gradient(row(b.relative), loss)) < 3e-3);
    CHECK(test::worst_difference(row(b.d_bias), test::numeric_gradient(row(b.bias), loss)) < 3e-3);
  }
}

TEST_CASE("attention keeps the largest score and the sum of each query, whichever way it computes") {
  Random random(3);
  for (const std::int64_t T : {1, 2, 9}) {
    for (const bool with_weights : {false, true}) {
      test::AttentionSetup setup(T, 70, 2, 1, 8, 16, random);
      setup.args.causal = true;
      setup.args.offset = -1;  // query 0 sees nothing
      setup.weights.resize(with_weights ? std::size_t(2 * T * 70) : 0);
      setup.args.weights = with_weights ? setup.weights.data() : nullptr;
      std::vector<float> largest(std::size_t(2 * T)), sums = largest, expected_largest = largest, expected_sums = largest;
      setup.args.largest = largest.data();
      setup.args.sums = sums.data();
      Workspace workspace;
      attention(setup.args, workspace);
      setup.args.largest = expected_largest.data();
      setup.args.sums = expected_sums.data();
      reference::attention(setup.args);
      CHECK(test::worst_difference(row(sums), row(expected_sums)) < 1e-5);
      for (std::size_t i = 0; i < largest.size(); ++i)
        CHECK_UNARY(largest[i] == expected_largest[i] || std::abs(largest[i] - expected_largest[i]) < 1e-5f);
      CHECK(largest[0] == -test::infinity);
      CHECK(sums[0] == 0);
    }
  }
}

TEST_CASE("a query that sees nothing has no gradient, and gives none") {
  Random random(4);
  Backward b(6, 5, 2, 1, 8, 5, random);
  b.args.causal = true;
  b.args.offset = -3;
  b.run(by_kernel);
  RandomMatrix before = b.d_query;
  b.run(by_kernel);
  CHECK(test::identical(before.view().rows_from(0, 3), b.d_query.view().rows_from(0, 3)));
  CHECK(all_finite(b.d_keys.view()));
}
