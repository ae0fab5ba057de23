#include "model/backward.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "model/adapter.h"
#include "model/loader.h"
#include "support/tiny_models.h"

using namespace webformer;

namespace {

constexpr std::int64_t batch = 2, length = 7;

IdMatrix ids(std::uint64_t seed) { return {batch, length, test::random_ids(int(batch * length), 3, 48, seed)}; }

/// A batch with labels of every kind that the model's heads take. The second text is padded.
ForwardInputs labelled_inputs(const ModelConfig& c) {
  ForwardInputs in;
  in.input_ids = ids(1);
  in.attention_mask = {batch, length, std::vector<std::int32_t>(std::size_t(batch * length), 1)};
  in.attention_mask.data[12] = in.attention_mask.data[13] = 0;
  if (c.encoder.token_types > 1) {
    in.token_type_ids = {batch, length, std::vector<std::int32_t>(std::size_t(batch * length), 0)};
    in.token_type_ids.data[5] = in.token_type_ids.data[6] = 1;
  }
  switch (c.head) {
    case Head::sequence_classification:
      in.labels = {batch, 1, {2, 0}};
      if (c.labels.size() == 1) in.float_labels = {0.5f, -1};
      break;
    case Head::token_classification: in.labels = {batch, length, test::random_ids(int(batch * length), 0, 3, 2)}; break;
    case Head::question_answering:
      in.start_positions = {1, 2};
      in.end_positions = {3, 40};  // the second lies outside of the text
      break;
    case Head::pretraining: in.next_sentence_label = {1, 0}; [[fallthrough]];
    default: in.labels = ids(3);
  }
  if (in.labels.cols == length) in.labels.data[2] = in.labels.data[12] = in.labels.data[13] = -100;
  return in;
}

float run(const Model& model, const ForwardInputs& inputs, Gradients& gradients, const DropoutRates& rates = {},
          float label_smoothing = 0, std::optional<std::size_t> most = std::nullopt) {
  Workspace workspace;
  Schedule schedule;
  Tape tape(rates, 7);
  tape.most = most.value_or(tape.most);
  Job<float> job(schedule, forward_backward(model, inputs, {tape, gradients, label_smoothing}, workspace, schedule));
  const float loss = job.finish();
  CHECK(tape.empty());
  CHECK(workspace.mark().used == 0);
  return loss;
}

std::span<float> numbers(const Weight& weight) { return weight.matrix ? weight.matrix->numbers() : std::span<float>(*weight.vector); }

std::span<const float> gradient_of(const Weight& weight, Gradients& gradients) {
  if (weight.matrix) return gradients.of(*weight.matrix)->numbers();
  return {gradients.of(*weight.vector), weight.vector->size()};
}

/// The slope of the loss along a direction, by a central difference.
template <class Loss>
double slope_along(std::span<float> weight, const std::vector<double>& direction, double step, Loss loss) {
  const std::vector<float> before(weight.begin(), weight.end());
  const auto at = [&](double distance) {
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = float(before[i] + distance * direction[i]);
    const double value = loss();
    std::copy(before.begin(), before.end(), weight.begin());
    return value;
  };
  return (at(step) - at(-step)) / (2 * step);
}

/// Compares the gradient of each of the weights with slopes of the loss: along the gradient, and along a random direction.
void check_gradients(const Model& model, const std::vector<Weight>& weights, const DropoutRates& rates, float label_smoothing) {
  const ForwardInputs inputs = labelled_inputs(model.config);
  Gradients gradients, unused;
  for (const Weight& weight : weights) weight.matrix ? gradients.add(*weight.matrix) : gradients.add(*weight.vector);
  run(model, inputs, gradients, rates, label_smoothing);
  const auto loss = [&] { return double(run(model, inputs, unused, rates, label_smoothing)); };
  Random random(5);
  for (const Weight& weight : weights) {
    CAPTURE(weight.name);
    const std::span<const float> gradient = gradient_of(weight, gradients);
    double length = 0;
    for (const float g : gradient) length += double(g) * g;
    length = std::sqrt(length);
    for (const bool along_gradient : {true, false}) {
      std::vector<double> direction(gradient.size());
      double size = 0, expected = 0;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        // Numbers that fill up a panel belong to no output: moving them does nothing, and their gradient is 0.
        direction[i] = along_gradient && length > 0 ? gradient[i] / length : random.normal();
        size += direction[i] * direction[i];
      }
      for (std::size_t i = 0; i < direction.size(); ++i) expected += gradient[i] * (direction[i] /= std::sqrt(size));
      const double slope = slope_along(numbers(weight), direction, 1e-3, loss);
      CHECK(std::abs(slope - expected) < 2e-3 + 0.01 * length);  // rounding of the loss by 1e-6, and curvature
    }
  }
}

/// T5's scores are not scaled: with the large weights of the tiny models, its softmax bends within the step of a difference.
std::string smooth(std::string config) {
  if (!config.starts_with(R"({"model_type": "t5")")) return config;
  const std::string deviation = R"("initializer_range": 0.3)";
  return config.replace(config.find(deviation), deviation.size(), R"("initializer_range": 0.15)");
}

}  // namespace

TEST_CASE("the gradients of every weight of every kind of model are the slopes of its loss") {
  for (const auto* models : {&test::generating_models(), &test::labelling_models()}) {
    for (const auto& tiny : *models) {
      CAPTURE(std::string(tiny.name));
      const auto model = test::make_model(smooth(tiny.config));
      check_gradients(*model, model->weights, {}, 0);
    }
  }
}

TEST_CASE("gradients go back through what dropout kept, and from smoothed labels") {
  const DropoutRates rates{.embedding = 0.1f, .residual = 0.2f, .attention = 0.3f, .activation = 0.1f, .head = 0.2f};
  for (const auto& [models, index] : {std::pair{&test::generating_models(), 0},
                                      {&test::generating_models(), 7},
                                      {&test::labelling_models(), 0},
                                      {&test::labelling_models(), 2},
                                      {&test::generating_models(), 4}}) {
    const test::TinyModel& tiny = (*models)[std::size_t(index)];
    CAPTURE(std::string(tiny.name));
    const auto model = test::make_model(tiny.config);
    check_gradients(*model, model->weights, rates, 0.1f);
  }
}

TEST_CASE("the gradients of an adapter of every linear layer are the slopes of the loss, and its model's weights have theirs beside it") {
  for (const auto* models : {&test::generating_models(), &test::labelling_models()}) {
    for (const auto& tiny : *models) {
      CAPTURE(std::string(tiny.name));
      const JsonDocument config = JsonDocument::parse(smooth(tiny.config), "config.json");
      ModelLoader loader(config.root(), WeightPolicy::f32);
      loader.randomize(1);
      const auto base = loader.finish();
      const auto layout = loader.layout();
      AdapterConfig settings{.rank = 3, .alpha = 6};
      for (const AdaptedModule& module : linear_modules(*base, *layout)) settings.targets.push_back(module.name);
      const auto adapter = std::make_shared<const Adapter>(make_adapter(*base, *layout, settings, 1));
      Random random(2);
      for (const Weight& weight : adapter->weights()) {
        for (std::int64_t i = 0; i < weight.matrix->rows(); ++i) {
          std::vector<float> row(std::size_t(weight.matrix->cols()));
          for (float& x : row) x = 0.1f * float(random.normal());
          weight.matrix->fill(i, ConstMatrix(row.data(), 1, weight.matrix->cols()));
        }
      }
      std::vector<Weight> weights = adapter->weights();
      weights.push_back(base->weights[base->weights.size() / 2]);
      check_gradients(*with_adapter(*base, adapter), weights, {.residual = 0.1f}, 0);
    }
  }
}

TEST_CASE("the loss of a training pass without dropout is that of forward()") {
  for (const auto* models : {&test::generating_models(), &test::labelling_models()}) {
    for (const auto& tiny : *models) {
      CAPTURE(std::string(tiny.name));
      const auto model = test::make_model(tiny.config);
      Gradients none;
      Workspace workspace;
      Schedule schedule;
      Job<ModelOutput> job(schedule, forward(*model, labelled_inputs(model->config), {}, workspace, schedule));
      CHECK(run(*model, labelled_inputs(model->config), none) == doctest::Approx(*job.finish().loss).epsilon(1e-6));
    }
  }
}

TEST_CASE("gradients are added up, times the factor of the pass") {
  const auto model = test::make_model(test::generating_models()[3].config);
  const PackedWeights& table = *model->decoder->embeddings.tokens.table;
  Gradients once, twice;
  once.add(table);
  twice.add(table);
  run(*model, labelled_inputs(model->config), once);
  Workspace workspace;
  Schedule schedule;
  Tape tape;
  for (const float factor : {0.25f, 0.75f}) {
    const TrainingPass pass{tape, twice, 0, {.labels = factor}};
    Job<float>(schedule, forward_backward(*model, labelled_inputs(model->config), pass, workspace, schedule)).finish();
  }
  const auto a = once.of(table)->numbers(), b = twice.of(table)->numbers();
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-5);
}

TEST_CASE("a tape that may hold little makes the same gradients, to the last bit, with layers that run forward twice") {
  const DropoutRates rates{.embedding = 0.1f, .residual = 0.2f, .attention = 0.3f, .activation = 0.1f, .head = 0.2f};
  for (const auto* models : {&test::generating_models(), &test::labelling_models()}) {
    for (const auto& tiny : *models) {
      CAPTURE(std::string(tiny.name));
      const auto model = test::make_model(tiny.config);
      Gradients much, little;
      for (Gradients* gradients : {&much, &little})
        for (const Weight& weight : model->weights) weight.matrix ? gradients->add(*weight.matrix) : gradients->add(*weight.vector);
      const ForwardInputs inputs = labelled_inputs(model->config);
      CHECK(run(*model, inputs, much, rates) == run(*model, inputs, little, rates, 0, 0));
      for (const Weight& weight : model->weights)
        CHECK(std::ranges::equal(gradient_of(weight, much), gradient_of(weight, little)));
    }
  }
}

TEST_CASE("a tape that may hold little takes the memory of one layer and of the inputs of all") {
  const auto model = test::make_model(R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 48, "n_embd": 64,
    "n_head": 2, "n_layer": 16, "n_positions": 64, "initializer_range": 0.02})");
  const IdMatrix texts{8, 64, test::random_ids(8 * 64, 3, 48, 1)};
  const auto bytes = [&](std::size_t most) {
    Gradients none;
    Workspace workspace;
    Schedule schedule;
    Tape tape;
    tape.most = most;
    Job<float>(schedule, forward_backward(*model, {.input_ids = texts, .labels = texts}, {tape, none}, workspace, schedule)).finish();
    return tape.bytes();
  };
  CHECK(bytes(0) < bytes(std::size_t(1) << 30) / 4);
}

TEST_CASE("a training pass does not allocate memory for its matrices once it has warmed up") {
  const auto model = test::make_model(test::generating_models()[0].config);
  Gradients none;
  Workspace workspace;
  Schedule schedule;
  Tape tape;
  const auto pass = [&] {
    Job<float>(schedule, forward_backward(*model, labelled_inputs(model->config), {tape, none}, workspace, schedule)).finish();
    return workspace.bytes() + tape.bytes();
  };
  pass();
  const std::size_t warm = pass();
  CHECK(pass() == warm);
}

TEST_CASE("inputs without labels cannot be trained on, and quantized weights cannot be learned") {
  const auto model = test::make_model(test::generating_models()[0].config);
  ForwardInputs inputs = labelled_inputs(model->config);
  inputs.labels = {};
  Gradients gradients;
  CHECK_THROWS_WITH_AS(run(*model, inputs, gradients), "labels: missing", Error);
  CHECK_THROWS_AS(gradients.add(PackedWeights(WeightType::int8, 4, 4)), Error);
}
