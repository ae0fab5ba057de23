#include <doctest/doctest.h>

#include "model/layers.h"
#include "support/random_matrix.h"

using namespace webformer;

namespace {

constexpr std::int64_t width = 128, inner = 16384, rows = 400;

/// How often a job without any time stops: at every breath.
int count_stops(Schedule& schedule, Task<> task) {
  Job<> job(schedule, std::move(task));
  int stops = 0;
  while (!job.step(Schedule::Clock::duration::zero())) ++stops;
  return stops;
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("a layer stops after every part of its products, its attention and its activation") {
    StackConfig config;
    config.width = width;
    config.inner = inner;
    config.heads = config.kv_heads = 2;
    config.head_size = width / 2;
    config.layers = config.distinct_layers = 1;
    config.layer.resize(1);
    const WeightNames names;
    WeightPlan plan(names, {});
    const Layer layer = Layer::declare(WeightScope(plan, "layer"), config, 0, width);
    Random random(5);
    plan.randomize(random, 0.02f, WeightPolicy::f32, 1);

    const Rows packed{.begin = {0, rows}, .positions = {}, .visible = {}};
    const StackPass stack{.config = config, .rows = packed, .name = "encoder"};
    test::RandomMatrix x(rows, width, random, 1, 0);
    const test::RandomMatrix before = x;
    Workspace workspace;
    Schedule schedule;
    Pass pass{.workspace = workspace, .schedule = schedule};
    const int stops = count_stops(schedule, layer.forward(x.view(), 0, stack, pass));

    // Blocks of 192, 192 and 16 rows. One of 192 times 128 x 16384 weights is 403 million operations, two parts of 2^28: of its columns
    // in the way up, of its rows in the way down.
    const int of_attention = 4 * 3, up = 2 + 2 + 1, down = 5, of_activation = 2;  // 400 x 16384 numbers by 2^22
    CHECK(stops == of_attention + up + down + of_activation);

    test::RandomMatrix whole = before;
    Job<>(schedule, layer.forward(whole.view(), 0, stack, pass)).finish();
    CHECK(test::worst_difference(whole.view(), x.view()) == 0);
  }
}
