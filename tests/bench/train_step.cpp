// Our side of the peers' train_step.py: one training step of the same small GPT, in milliseconds, as JSON.
//   webformer-train-step [STEPS]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/random.h"
#include "formats/json.h"
#include "model/loader.h"
#include "training/trainer.h"

using namespace webformer;

namespace {

// The peer's rows are of 128 inputs and the 128 ids after them: a row of 129 is learned from at 128 places.
constexpr std::int64_t batch_size = 16, length = 129, vocab_size = 4096;
constexpr const char* gpt = R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 4096, "n_embd": 256, "n_head": 4,
  "n_layer": 4, "n_positions": 129, "initializer_range": 0.02, "activation_function": "gelu_new"})";
constexpr int warmup = 3;

ForwardInputs random_batch() {
  Random random(0);
  IdMatrix ids{batch_size, length, std::vector<std::int32_t>(std::size_t(batch_size * length))};
  for (std::int32_t& id : ids.data) id = std::int32_t(random.uniform() * vocab_size);
  return {.input_ids = ids, .labels = ids};
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 10;
  const JsonDocument config = JsonDocument::parse(gpt, "config.json");
  ModelLoader loader(config.root(), WeightPolicy::f32);
  loader.randomize(1);
  const std::shared_ptr<const Model> model = loader.finish();
  Trainer trainer(model, {.optimizer = {.kind = OptimizerKind::adamw, .weight_decay = 0.01f}, .schedule = {.peak = 3e-4}});
  Workspace workspace;
  Schedule schedule;
  const ForwardInputs batch = random_batch();

  std::vector<double> losses, times;
  for (int i = 0; i < warmup + steps; ++i) {
    const auto start = std::chrono::steady_clock::now();
    losses.push_back(Job<TrainerStep>(schedule, trainer.step({batch}, workspace, schedule)).finish().loss);
    if (i >= warmup) times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::vector<double> sorted = times;
  std::ranges::sort(sorted);
  std::printf("{\"unit\": \"ms\", \"median\": %.1f, \"values\": [", sorted[sorted.size() / 2]);
  for (std::size_t i = 0; i < times.size(); ++i) std::printf("%s%.1f", i ? ", " : "", times[i]);
  std::printf("], \"loss\": [%.4f, %.4f, %.4f, %.4f]}\n", losses[0], losses[1], losses[2], losses[3]);
}
