#include "training/run.h"

#include <doctest/doctest.h>

#include <set>

#include "core/error.h"
#include "formats/json.h"
#include "model/loader.h"
#include "training/evaluation.h"
#include "training/tiny_tokenizers.h"

using namespace webformer;

namespace {

constexpr const char* gpt2 = R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 16, "n_embd": 16, "n_head": 2,
  "n_layer": 1, "n_positions": 16, "initializer_range": 0.2, "eos_token_id": 1})";
constexpr const char* bert = R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"], "vocab_size": 26,
  "hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 16, "max_position_embeddings": 16,
  "initializer_range": 0.2, "id2label": {"0": "no", "1": "yes"}})";

std::shared_ptr<const Model> new_model(const char* config) {
  const JsonDocument document = JsonDocument::parse(config, "config.json");
  ModelLoader loader(document.root(), WeightPolicy::f32);
  loader.randomize(1);
  return loader.finish();
}

void add(TrainingSet& data, const std::string& json) {
  const JsonDocument document = JsonDocument::parse(json, "rows");
  data.add({document.root(), "rows"});
}

/// Texts of one to six words, each of its own length.
TrainingSet texts(const std::shared_ptr<const Model>& model, const BatchOptions& options, int count = 6) {
  const auto tokenizer = fixtures::words_with_sentinels();
  TrainingSet data(Objective(TrainingTask::text_generation, model->config, tokenizer, tokenizer), options, 0);
  std::string text = "a";
  for (int i = 0; i < count; ++i) {
    add(data, "\"" + text + "\"");
    text += std::string(" ") + char('b' + i);
  }
  return data;
}

RunConfig config_with(std::optional<std::int64_t> steps, std::optional<std::int64_t> epochs = std::nullopt) {
  return {.trainer = {.schedule = {.peak = 1e-2}, .dropout = {.residual = 0.1f}, .seed = 3}, .steps = steps, .epochs = epochs};
}

struct Steps {
  Workspace workspace;
  Schedule schedule;
  RunStep next(TrainingRun& run) { return Job<RunStep>(schedule, run.step(workspace, schedule)).finish(); }
  std::vector<double> losses(TrainingRun& run) {
    std::vector<double> losses;
    while (!run.done()) losses.push_back(next(run).loss);
    return losses;
  }
};

}  // namespace

TEST_CASE("a run of several workers makes the losses of one, also where there are fewer rows than workers") {
  const auto losses = [](int workers) {
    const auto model = new_model(gpt2);
    RunConfig config = config_with(6);
    config.trainer.dropout = {};
    config.trainer.workers = workers;
    config.trainer.together = [](int count, const std::function<void(int)>& work) {
      for (int i = 0; i < count; ++i) work(i);
    };
    TrainingRun run(texts(model, {.size = 4, .seed = 5}), config);
    run.begin(model);
    return Steps().losses(run);
  };
  const std::vector<double> expected = losses(1);
  for (const int workers : {2, 3, 7}) {
    const std::vector<double> found = losses(workers);
    REQUIRE(found.size() == 6);
    for (std::size_t i = 0; i < 6; ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE("an epoch has each example once, in an order of its own; without shuffling, in that of the rows") {
  const auto model = new_model(gpt2);
  const TrainingSet shuffled = texts(model, {.size = 4, .seed = 5}), same = texts(model, {.size = 4, .seed = 5});
  std::set<TrainingSet::Group> firsts;
  for (int epoch = 0; epoch < 6; ++epoch) {
    const auto groups = shuffled.epoch(epoch);
    CHECK(groups == same.epoch(epoch));
    REQUIRE(groups.size() == 2);
    TrainingSet::Group all = groups[0];
    all.insert(all.end(), groups[1].begin(), groups[1].end());
    CHECK(std::set(all.begin(), all.end()).size() == 6);
    firsts.insert(all);
  }
  CHECK(firsts.size() > 3);
  CHECK(texts(model, {.size = 4, .shuffle = false}).epoch(3) == std::vector<TrainingSet::Group>{{0, 1, 2, 3}, {4, 5}});
}

TEST_CASE("batches of so many tokens are made of examples of like length, and none has more, its padding counted") {
  const auto model = new_model(gpt2);
  const TrainingSet data = texts(model, {.tokens = 8, .seed = 2}, 6);  // of 2 to 7 tokens, the end token counted
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::multiset<std::size_t> sizes;
    for (const auto& group : data.epoch(epoch)) {
      const Batch batch = data.batch(epoch, group);
      CHECK(batch.inputs.input_ids.data.size() <= 8);
      sizes.insert(group.size());
    }
    CHECK(sizes == std::multiset<std::size_t>{1, 1, 1, 1, 2});  // by length: 2 and 3, then each alone
  }
  // An example that is longer than a batch is a batch all the same.
  CHECK(texts(model, {.tokens = 3}).epoch(0).size() == 6);
}

TEST_CASE("a batch is padded to its longest example, and says what is padding") {
  const auto model = new_model(gpt2);
  const TrainingSet data = texts(model, {.size = 2, .shuffle = false});
  const Batch batch = data.batch(0, {0, 1});
  CHECK(batch.inputs.input_ids.cols == 3);
  CHECK(batch.inputs.input_ids.data == std::vector<std::int32_t>{3, 1, 0, 3, 4, 1});
  CHECK(batch.inputs.attention_mask.data == std::vector<std::int32_t>{1, 1, 0, 1, 1, 1});
  CHECK(batch.inputs.labels.data == std::vector<std::int32_t>{3, 1, -100, 3, 4, 1});
  CHECK(batch.tokens == 5);
}

TEST_CASE("a run counts its steps before it begins, and has as many") {
  const auto model = new_model(gpt2);
  Steps steps;
  TrainingRun epochs(texts(model, {.size = 2, .seed = 1}), [] {
    RunConfig config = config_with({}, 3);
    config.accumulate = 2;
    return config;
  }());
  epochs.begin(model);
  CHECK(epochs.total() == 6);  // three batches an epoch, of which two make the first step and one the second
  std::vector<std::int64_t> numbers;
  while (!epochs.done()) {
    const RunStep step = steps.next(epochs);
    numbers.push_back(step.epoch);
    CHECK(epochs.is_epoch_end() == (step.step % 2 == 0));
  }
  CHECK(numbers == std::vector<std::int64_t>{0, 0, 1, 1, 2, 2});
  TrainingRun counted(texts(model, {.size = 2}), config_with(7));
  counted.begin(new_model(gpt2));
  CHECK(steps.losses(counted).size() == 7);
  TrainingRun empty(texts(model, {}, 0), config_with({}));
  CHECK_THROWS_WITH_AS(empty.begin(model), "rows: nothing in them to learn from", Error);
  CHECK_THROWS_WITH_AS(TrainingRun(texts(model, {}), config_with(2, 2)), doctest::Contains("both found"), Error);
}

TEST_CASE("a run that goes on from a checkpoint makes the steps that the first one would have made, over epochs and in a stream") {
  Steps steps;
  for (const bool streamed : {false, true}) {
    CAPTURE(streamed);
    const auto begin = [&](const std::shared_ptr<const Model>& model, std::span<const std::byte> checkpoint) {
      RunConfig config = config_with(streamed ? std::nullopt : std::optional<std::int64_t>(5));
      config.accumulate = 2;
      config.streamed = streamed;
      TrainingRun run(texts(model, {.size = 1, .shuffle = !streamed, .seed = 4}), config);
      if (streamed) run.close();
      run.begin(model, checkpoint);
      run.needs_rows();
      return run;
    };
    TrainingRun straight = begin(new_model(gpt2), {});
    const std::vector<double> expected = steps.losses(straight);
    TrainingRun first = begin(new_model(gpt2), {});
    steps.next(first);
    steps.next(first);
    TrainingRun second = begin(new_model(gpt2), first.checkpoint());
    CHECK(second.steps() == 2);
    CHECK(steps.losses(second) == std::vector<double>(expected.begin() + 2, expected.end()));
  }
}

TEST_CASE("a stream makes the steps of a list of the same rows, whenever they come") {
  const auto model = new_model(gpt2);
  Steps steps;
  RunConfig config = config_with({}, 1);
  TrainingRun list(texts(model, {.size = 4, .shuffle = false}), config);
  list.begin(new_model(gpt2));
  config = config_with({});
  config.streamed = true;
  TrainingRun stream(texts(model, {.size = 4, .shuffle = false}, 0), config);
  stream.begin(new_model(gpt2));
  CHECK_FALSE(stream.total());
  std::vector<double> losses;
  std::string text = "a";
  for (int i = 0; i < 6; ++i) {
    CHECK(stream.needs_rows());
    add(stream.data(), "\"" + text + "\"");
    text += std::string(" ") + char('b' + i);
    if (!stream.needs_rows()) losses.push_back(steps.next(stream).loss);
  }
  CHECK(losses.size() == 1);
  stream.close();
  CHECK_FALSE(stream.needs_rows());
  losses.push_back(steps.next(stream).loss);
  CHECK(stream.done());
  CHECK(losses == steps.losses(list));
  config.trainer.schedule.kind = RateKind::cosine;
  CHECK_THROWS_WITH_AS(TrainingRun(texts(model, {}), config), doctest::Contains("steps is missing"), Error);
}

TEST_CASE("an evaluation is the loss of all its rows together, and counts what the model holds for the likeliest") {
  const auto model = new_model(bert);
  const auto tokenizer = fixtures::wordpiece();
  TrainingSet data(Objective(TrainingTask::text_classification, model->config, tokenizer, tokenizer), {.size = 2, .shuffle = false}, 0);
  for (const char* row : {R"({"text": "a b", "label": "no"})", R"({"text": "c", "label": "yes"})", R"({"text": "d e f", "label": "no"})"})
    add(data, row);
  Steps steps;
  Evaluation evaluation(model, data);
  while (!evaluation.done()) Job<>(steps.schedule, evaluation.step(steps.workspace, steps.schedule)).finish();

  const ForwardInputs whole = data.batch(0, {0, 1, 2}).inputs;
  const ModelOutput output = Job<ModelOutput>(steps.schedule, forward(*model, whole, {}, steps.workspace, steps.schedule)).finish();
  double right = 0;
  for (int i = 0; i < 3; ++i) right += (output.logits->data[2 * i + 1] > output.logits->data[2 * i]) == (i == 1);
  CHECK(evaluation.result().loss == doctest::Approx(*output.loss).epsilon(1e-5));
  CHECK(*evaluation.result().accuracy == doctest::Approx(right / 3));
  CHECK_THROWS_AS(Evaluation(model, TrainingSet(std::nullopt, {}, 0)), Error);
}
