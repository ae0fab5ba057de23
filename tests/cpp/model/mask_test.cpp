#include <doctest/doctest.h>

#include "model/layers.h"
#include "support/random_matrix.h"

using namespace webformer;

namespace {

constexpr std::int64_t batch = 2, length = 5, source_length = 4, width = 8;

StackConfig layer_config() {
  StackConfig c;
  c.width = c.inner = width;
  c.heads = c.kv_heads = 2;
  c.head_size = width / 2;
  c.attention_scale = 0.5f;
  c.layers = c.distinct_layers = 1;
  c.layer.resize(1);
  c.cross_attention = true;
  return c;
}

Array random_array(std::int64_t rows, Random& random) {
  Array array(Shape{rows, width});
  for (float& x : array.data) x = float(random.normal());
  return array;
}

/// A decoder layer over two sequences, and the gradient of its input for an output gradient of ones.
struct Run {
  Array output, gradient;
};

Run run_layer(bool causal, std::vector<std::int64_t> visible, const std::vector<std::uint8_t>& mask,
              const std::vector<std::uint8_t>& memory_mask) {
  StackConfig config = layer_config();
  config.causal = causal;
  const WeightNames names;
  WeightPlan plan(names, {});
  const Layer layer = Layer::declare(WeightScope(plan, "layer"), config, 0, width);
  Random random(3);
  plan.randomize(random, 0.5f, WeightPolicy::f32, 1);

  Memory memory{.begin = {0, source_length, 2 * source_length}, .visible = std::move(visible)};
  memory.keys.push_back(random_array(2 * source_length, random));
  memory.values.push_back(random_array(2 * source_length, random));
  Run run{random_array(batch * length, random), Array(Shape{batch * length, width})};
  std::ranges::fill(run.gradient.data, 1.f);
  const Rows rows{.begin = {0, length, 2 * length}};
  const std::vector<int> sources{0, 1};
  const StackPass stack{.config = config,
                        .rows = rows,
                        .name = "layer",
                        .memory = &memory,
                        .sources = sources,
                        .mask = mask.empty() ? nullptr : mask.data(),
                        .memory_mask = memory_mask.empty() ? nullptr : memory_mask.data()};
  Workspace workspace;
  Schedule schedule;
  Tape tape;
  Gradients gradients;
  Pass pass{workspace, schedule, nullptr, &tape};
  Job<>(schedule, layer.forward(run.output.matrix(), 0, stack, pass)).finish();
  Memory memory_gradient = memory.zeros();
  Backward back{workspace, schedule, tape, gradients};
  Job<>(schedule, layer.backward(run.gradient.matrix(), 0, stack, {.memory = &memory_gradient}, back)).finish();
  CHECK(tape.empty());
  return run;
}

void check_equal(const Run& a, const Run& b) {
  CHECK(test::worst_difference(a.output.matrix(), b.output.matrix()) < 1e-6);
  CHECK(test::worst_difference(a.gradient.matrix(), b.gradient.matrix()) < 1e-5);
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("a mask hides the same as the order of the tokens, forward and backward") {
    std::vector<std::uint8_t> mask;
    for (std::int64_t i = 0; i < batch * length * length; ++i) mask.push_back(i % length <= i / length % length);
    const Run causal = run_layer(true, {}, {}, {});
    check_equal(causal, run_layer(false, {}, mask, {}));
    CHECK(test::worst_difference(causal.output.matrix(), run_layer(false, {}, {}, {}).output.matrix()) > 1e-2);
  }

  TEST_CASE("a mask of the memory hides the same as its visible lengths, each sequence's own, forward and backward") {
    const std::vector<std::int64_t> visible{3, 2};
    std::vector<std::uint8_t> mask;
    for (std::int64_t i = 0; i < batch * length * source_length; ++i)
      mask.push_back(i % source_length < visible[std::size_t(i / source_length / length)]);
    const Run shorter = run_layer(false, visible, {}, {});
    check_equal(shorter, run_layer(false, {}, {}, mask));
    CHECK(test::worst_difference(shorter.output.matrix(), run_layer(false, {}, {}, {}).output.matrix()) > 1e-2);
  }
}
