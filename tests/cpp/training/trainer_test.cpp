#include "training/trainer.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "formats/json.h"
#include "formats/safetensors.h"
#include "model/adapter.h"
#include "model/loader.h"

using namespace webformer;

namespace {

constexpr const char* gpt2 = R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 12, "n_embd": 16, "n_head": 2,
  "n_layer": 2, "n_positions": 16, "initializer_range": 0.2})";

std::shared_ptr<const Model> new_model(WeightPolicy policy = WeightPolicy::f32) {
  const JsonDocument config = JsonDocument::parse(gpt2, "config.json");
  ModelLoader loader(config.root(), policy);
  loader.randomize(1);
  return loader.finish();
}

IdMatrix rows(std::int64_t count, std::vector<std::int32_t> ids) {
  const std::int64_t cols = std::int64_t(ids.size()) / count;
  return {count, cols, std::move(ids)};
}

ForwardInputs text(IdMatrix ids) { return {.input_ids = ids, .labels = ids}; }

const IdMatrix both = rows(2, {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1});

TrainerConfig config_with(float dropout = 0) {
  return {.optimizer = {.clip = 1},
          .schedule = {.peak = 1e-2},
          .dropout = {.embedding = dropout, .residual = dropout, .attention = dropout},
          .seed = 7};
}

struct Run {
  std::shared_ptr<const Model> model;
  Trainer trainer;
  Workspace workspace;
  Schedule schedule;

  Run(std::shared_ptr<const Model> of, const TrainerConfig& config) : model(of), trainer(of, config) {}
  TrainerStep step(std::vector<ForwardInputs> parts) {
    return Job<TrainerStep>(schedule, trainer.step(std::move(parts), workspace, schedule)).finish();
  }
  std::vector<double> losses(int count) {
    std::vector<double> result;
    for (int i = 0; i < count; ++i) result.push_back(step({text(both)}).loss);
    return result;
  }
};

}  // namespace

TEST_CASE("a batch in parts makes the step of the whole batch, each part by its share of the labels") {
  Run whole(new_model(), config_with()), parts(new_model(), config_with());
  // The second row has two labels less, so that a mean of the parts' means would be another loss.
  IdMatrix labels = both;
  labels.data[10] = labels.data[11] = -100;
  const auto row = [](const IdMatrix& of, std::int64_t i) { return rows(1, {of.data.begin() + i * 6, of.data.begin() + i * 6 + 6}); };
  for (int i = 0; i < 3; ++i) {
    const TrainerStep a = whole.step({{.input_ids = both, .labels = labels}});
    const TrainerStep b = parts.step(
        {{.input_ids = row(both, 0), .labels = row(labels, 0)}, {.input_ids = row(both, 1), .labels = row(labels, 1)}});
    CHECK(a.step == i + 1);
    CHECK(b.loss == doctest::Approx(a.loss).epsilon(1e-5));
    CHECK(b.gradient_norm == doctest::Approx(a.gradient_norm).epsilon(1e-4));
  }
}

TEST_CASE("workers that share a batch make the step of one, and the same step each time, whichever ends first") {
  const auto parts = [] {
    std::vector<ForwardInputs> parts;
    for (int row = 0; row < 5; ++row) parts.push_back(text(rows(1, {row, 2, 3, row + 1, 5, 6})));
    return parts;
  };
  const auto config_of = [](int workers, bool reversed, float dropout) {
    TrainerConfig config = config_with(dropout);
    config.workers = workers;
    config.together = [reversed](int count, const std::function<void(int)>& work) {
      for (int i = 0; i < count; ++i) work(reversed ? count - 1 - i : i);
    };
    return config;
  };
  Run one(new_model(), config_of(1, false, 0)), three(new_model(), config_of(3, false, 0)), nine(new_model(), config_of(9, false, 0));
  Run forwards(new_model(), config_of(3, false, 0.2f)), backwards(new_model(), config_of(3, true, 0.2f));
  for (int i = 0; i < 3; ++i) {
    const TrainerStep expected = one.step(parts());
    for (Run* run : {&three, &nine}) {
      const TrainerStep step = run->step(parts());
      CHECK(step.loss == doctest::Approx(expected.loss).epsilon(1e-5));
      CHECK(step.gradient_norm == doctest::Approx(expected.gradient_norm).epsilon(1e-4));
    }
    const TrainerStep a = forwards.step(parts()), b = backwards.step(parts());
    CHECK(a.loss == b.loss);
    CHECK(a.gradient_norm == b.gradient_norm);
  }
  CHECK(forwards.trainer.checkpoint() == backwards.trainer.checkpoint());
}

TEST_CASE("parts count by their labels, and by their pairs of sentences where these have labels of their own") {
  constexpr const char* bert = R"({"model_type": "bert", "architectures": ["BertForPreTraining"], "vocab_size": 12, "hidden_size": 16,
    "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 16, "max_position_embeddings": 16, "initializer_range": 0.2})";
  const auto new_bert = [&] {
    const JsonDocument config = JsonDocument::parse(bert, "config.json");
    ModelLoader loader(config.root(), WeightPolicy::f32);
    loader.randomize(1);
    return loader.finish();
  };
  const IdMatrix ids = rows(3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  // The first row has three labels, the second none, the third one.
  const IdMatrix labels = rows(3, {1, 2, 3, -100, -100, -100, 7, -100, -100});
  const auto row = [](const IdMatrix& of, std::int64_t i) { return rows(1, {of.data.begin() + i * 3, of.data.begin() + i * 3 + 3}); };
  std::vector<ForwardInputs> parts;
  for (int i = 0; i < 3; ++i) parts.push_back({.input_ids = row(ids, i), .labels = row(labels, i), .next_sentence_label = {i % 2}});
  Run whole(new_bert(), config_with()), cut(new_bert(), config_with());
  const TrainerStep expected = whole.step({{.input_ids = ids, .labels = labels, .next_sentence_label = {0, 1, 0}}});
  const TrainerStep found = cut.step(parts);
  CHECK(found.loss == doctest::Approx(expected.loss).epsilon(1e-5));
  CHECK(found.gradient_norm == doctest::Approx(expected.gradient_norm).epsilon(1e-4));
}

TEST_CASE("a run that goes on from a checkpoint makes the losses of one that never stopped, with dropout too") {
  Run straight(new_model(), config_with(0.2f));
  const std::vector<double> expected = straight.losses(6);
  Run first(new_model(), config_with(0.2f));
  first.losses(3);
  const std::vector<std::byte> file = first.trainer.checkpoint();
  Run second(new_model(), config_with(0.2f));
  second.trainer.resume(file);
  CHECK(second.trainer.steps() == 3);
  CHECK(second.losses(3) == std::vector<double>(expected.begin() + 3, expected.end()));
}

TEST_CASE("a checkpoint of another optimizer, or a file that is none, changes nothing") {
  Run adam(new_model(), config_with());
  adam.losses(1);
  TrainerConfig sgd = config_with();
  sgd.optimizer.kind = OptimizerKind::sgd;
  Run other(new_model(), sgd);
  const std::vector<double> before = Run(new_model(), sgd).losses(2);
  CHECK_THROWS_AS(other.trainer.resume(adam.trainer.checkpoint()), Error);
  CHECK_THROWS_AS(other.trainer.resume(write_safetensors({})), Error);
  CHECK_THROWS_AS(other.trainer.resume({}), Error);
  CHECK(other.trainer.steps() == 0);
  CHECK(other.losses(2) == before);
}

TEST_CASE("a step that is abandoned leaves the weights and the steps after it as they were") {
  Run run(new_model(), config_with()), same(new_model(), config_with());
  {
    Schedule schedule;
    Job<TrainerStep> job(schedule, run.trainer.step({text(both)}, run.workspace, schedule));
    // No time at all: the job stops at its first chance, in the middle of the pass.
    CHECK_FALSE(job.step(Schedule::Clock::duration::zero()));
  }
  CHECK(run.losses(3) == same.losses(3));
}

TEST_CASE("frozen weights stay, and a name that no weight has is refused") {
  TrainerConfig config = config_with();
  config.frozen = {"decoder.embed", "decoder.0."};
  Run run(new_model(), config);
  std::vector<std::vector<float>> before;
  const auto numbers = [&](const Weight& w) {
    return w.matrix ? std::vector<float>(w.matrix->numbers().begin(), w.matrix->numbers().end()) : *w.vector;
  };
  for (const Weight& weight : run.model->weights) before.push_back(numbers(weight));
  run.losses(2);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string& name = run.model->weights[i].name;
    CAPTURE(name);
    const bool frozen = name.starts_with("decoder.embed") || name.starts_with("decoder.0.");
    CHECK((numbers(run.model->weights[i]) == before[i]) == frozen);
  }
  config.frozen = {"decoder.7."};
  CHECK_THROWS_WITH_AS(Trainer(new_model(), config), doctest::Contains("decoder.7."), Error);
  config.frozen = {""};
  CHECK_THROWS_AS(Trainer(new_model(), config), Error);
}

TEST_CASE("quantized weights become f32 in their place and learn") {
  Run run(new_model(WeightPolicy::int8), config_with());
  for (const Weight& weight : run.model->weights)
    if (weight.matrix) CHECK(weight.matrix->type() == WeightType::f32);
  const std::vector<double> losses = run.losses(40);
  CHECK(losses.back() < 0.5 * losses.front());
}

TEST_CASE("with an adapter only its matrices and a new head are learned, beside weights that stay quantized") {
  const JsonDocument config = JsonDocument::parse(
      R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"], "vocab_size": 12, "hidden_size": 128,
      "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 128, "max_position_embeddings": 16,
      "id2label": {"0": "a", "1": "b"}, "initializer_range": 0.1})",
      "config.json");
  ModelLoader loader(config.root(), WeightPolicy::int8);
  loader.randomize(1);
  const auto base = loader.finish();
  const auto adapter = std::make_shared<const Adapter>(make_adapter(*base, *loader.layout(), {.rank = 2, .alpha = 2}, 1));
  Run run(with_adapter(*base, adapter), config_with());
  std::vector<std::vector<float>> before;
  const auto numbers = [](const Weight& w) {
    const std::int64_t rows = w.matrix ? w.matrix->rows() : 1, cols = w.matrix ? w.matrix->cols() : std::int64_t(w.vector->size());
    std::vector<float> all(std::size_t(rows * cols));
    for (std::int64_t i = 0; i < rows; ++i) w.read(i, all.data() + i * cols);
    return all;
  };
  for (const Weight& weight : base->weights) before.push_back(numbers(weight));
  std::vector<double> losses;
  for (int i = 0; i < 30; ++i) losses.push_back(run.step({{.input_ids = both, .labels = rows(2, {0, 1})}}).loss);
  CHECK(losses.back() < 0.2 * losses.front());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CAPTURE(base->weights[i].name);
    CHECK((numbers(base->weights[i]) != before[i]) == base->weights[i].name.starts_with("heads.classifier."));
  }
  CHECK(base->encoder->layers[0].self_attention.query.weight->type() == WeightType::int8);
  for (const Weight& weight : adapter->weights()) {
    CAPTURE(weight.name);
    const auto now = numbers(weight);
    CHECK(std::ranges::any_of(now, [](float x) { return x != 0; }));
  }
  // Two matrices, A and B, of queries and of values; the weight and the bias of the head; and Adam's two numbers for each.
  const auto file = run.trainer.checkpoint();
  const TensorTable table = parse_safetensors_header(
      std::span(file).first(std::size_t(safetensors_header_bytes(std::span(file).first(8), file.size(), "file"))), file.size(), "file");
  CHECK(table.tensors.size() == 3 * 6);
}

TEST_CASE("a batch without a label that counts is refused") {
  Run run(new_model(), config_with());
  IdMatrix none = both;
  for (std::int32_t& id : none.data) id = -100;
  CHECK_THROWS_WITH_AS(run.step({{.input_ids = both, .labels = none}}), doctest::Contains("labels"), Error);
}
