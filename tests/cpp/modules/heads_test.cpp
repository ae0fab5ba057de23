// Heads of tasks on a given last hidden state: golden/modules 16.

#ifdef WEBFORMER_SHARED_DIR

#include "model/forward_call.h"
#include "model/loss.h"
#include "modules/layer_run.h"
#include "modules/model_run.h"

using namespace webformer;
using modules::Case;
using modules::LayerRun;

namespace {

constexpr float hidden_score = -std::numeric_limits<float>::infinity();

/// A model that is nothing but a classifier, and a call of it whose last hidden state is given.
struct HeadRun {
  Array hidden;
  WeightPlan plan;
  Model model;
  LayerRun run;
  ForwardCall call;

  HeadRun(const Case& c, Head head, Pooling pooling, std::string_view problem, ForwardInputs inputs)
      : hidden(c.input("hidden")),
        plan(names(), {}),
        call{.model = model,
             .inputs = std::move(inputs),
             .options = {},
             .recorder = Recorder({}),
             .pass = {run.workspace, run.schedule, nullptr, &run.tape}} {
    model.config.head = head;
    model.config.classifier_pooling = pooling;
    model.config.problem_type = problem;
    model.config.encoder.width = int(hidden.shape[2]);
    model.heads.classifier = Classifier::declare(WeightScope(plan, "classifier"), model.config, int(c.about()["labels"].get_integer()));
    c.fill(plan);
    modules::learn_all(plan, run.gradients);
    const std::vector<std::int32_t> mask = c.has_input("mask") ? c.ids("mask") : std::vector<std::int32_t>();
    call.source = modules::pack_rows(hidden.shape[0], hidden.shape[1], mask, head == Head::question_answering);
    packed_ = modules::take_rows(call.source, hidden);
    call.hidden = packed_.matrix();
  }
  HeadRun(const HeadRun&) = delete;
  HeadRun& operator=(const HeadRun&) = delete;

  void forward() {
    run.finish(run_heads(call));
    compute_loss(call);
  }
  /// From what loss_backward, or another one, left in the call's outputs.
  void compare_gradients(Case& c) {
    Array dx(packed_.shape);
    run_heads_backward(call, dx.matrix(), run.back);
    CHECK(run.tape.empty());
    c.gradient("hidden", call.source.unpack(dx.matrix()));
    c.gradients(plan, run.gradients);
  }

 private:
  static const WeightNames& names() {
    static const WeightNames table{.rows = {{"classifier.output", "classifier"}}};
    return table;
  }
  Array packed_;
};

void check_classification(Case& c) {
  const bool mean = c.has_input("mask"), multiple = c.shape("label").rank() == 2;
  ForwardInputs inputs;
  const std::vector<std::int32_t> labels = c.ids("label");
  if (multiple) inputs.float_labels.assign(labels.begin(), labels.end());
  else inputs.labels = {std::int64_t(labels.size()), 1, labels};
  HeadRun run(c, Head::sequence_classification, mean ? Pooling::mean : Pooling::first,
              multiple ? "multi_label_classification" : "single_label_classification", inputs);
  run.forward();
  c.output("logits", *run.call.output.logits);
  c.output("loss", *run.call.output.loss);
  if (c.expects("probabilities")) {
    Array probabilities = *run.call.output.logits;
    softmax(probabilities.matrix());
    c.output("probabilities", probabilities);
  }
  loss_backward(run.call);
  run.compare_gradients(c);
}

void check_tagging(Case& c) {
  HeadRun run(c, Head::token_classification, Pooling::first, "", {.labels = modules::id_matrix(c, "label")});
  run.forward();
  const Array& logits = *run.call.output.logits;
  c.output("logits", logits);
  c.output("loss", *run.call.output.loss);
  std::vector<float> tags;
  for (std::int64_t i = 0; i < logits.matrix().rows; ++i)
    tags.push_back(float(argmax({logits.matrix().row(i), std::size_t(logits.matrix().cols)})));
  c.output("prediction", tags);
  loss_backward(run.call);
  run.compare_gradients(c);
}

/// The most probable span that is no longer than `most`: its ends and its score.
std::array<float, 3> best_span(const float* start, const float* end, std::int64_t length, std::int64_t most) {
  std::array<float, 3> best{0, 0, hidden_score};
  for (std::int64_t s = 0; s < length; ++s)
    for (std::int64_t e = s; e < std::min(length, s + most); ++e)
      if (start[s] + end[e] > best[2]) best = {float(s), float(e), start[s] + end[e]};
  return best;
}

/// Unlike transformers' models, PyTorch's text hides the padding from the softmax of the loss.
void check_answers(Case& c) {
  HeadRun run(c, Head::question_answering, Pooling::first, "", {});
  run.forward();
  ModelOutput& out = run.call.output;
  c.output("start_logits", *out.start_logits);
  c.output("end_logits", *out.end_logits);
  const std::vector<std::int32_t> mask = c.ids("mask");
  double loss = 0;
  std::vector<float> answers, scores;
  for (const auto& [logits, labels] : {std::pair{&*out.start_logits, c.ids("start")}, {&*out.end_logits, c.ids("end")}}) {
    for (std::size_t i = 0; i < mask.size(); ++i) logits->data[i] = mask[i] ? logits->data[i] : hidden_score;
    loss += mean_cross_entropy(logits->matrix(), labels) / 2;
  }
  c.output("loss", loss);
  const std::int64_t length = out.start_logits->shape[1];
  for (std::int64_t b = 0; b < out.start_logits->shape[0]; ++b) {
    const auto [start, end, score] =
        best_span(out.start_logits->matrix().row(b), out.end_logits->matrix().row(b), length, c.about()["max_answer"].get_integer());
    answers.insert(answers.end(), {start, end});
    scores.push_back(score);
  }
  c.output("answer", answers);
  c.output("answer_score", scores);
  for (const auto& [logits, labels] : {std::pair{&*out.start_logits, c.ids("start")}, {&*out.end_logits, c.ids("end")}})
    mean_cross_entropy_backward(logits->matrix(), labels, 0, 0.5f, logits->matrix());
  run.compare_gradients(c);
}

}  // namespace

TEST_SUITE("modules") {
  TEST_CASE("16: heads that classify, tag and answer, and their gradients, are PyTorch's") {
    modules::each_case("16_task_heads", [](Case& c) {
      if (c.has_input("start")) check_answers(c);
      else if (c.expects("prediction")) check_tagging(c);
      else check_classification(c);
    });
  }
}

#endif
