#include "training/trainer.h"

#include <algorithm>
#include <numeric>

#include "model/adapter.h"
#include "training/labels.h"

namespace webformer {

namespace {

constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // 2^64 over it: seeds that are neighbours lie far apart

/// All weights; with an adapter, only its own, and a head that labels, which may be new.
std::vector<Weight> learnable(const Model& model) {
  if (!model.adapter) return model.weights;
  std::vector<Weight> weights = model.adapter->weights();
  for (const Weight& weight : model.weights)
    if (model.adapter->with_head && weight.name.starts_with(labelling_head)) weights.push_back(weight);
  return weights;
}

std::vector<Weight> not_frozen(const std::vector<Weight>& weights, const std::vector<std::string>& frozen) {
  std::vector<Weight> learned = weights;
  for (const std::string& start : frozen) {
    const auto begins = [&](const Weight& weight) { return weight.name.starts_with(start); };
    if (std::ranges::none_of(weights, begins))
      throw Error(Code::invalid_argument, "freeze: no weight's name begins with {}; there is {}", start, weights.front().name);
    std::erase_if(learned, begins);
  }
  if (learned.empty()) throw Error(Code::invalid_argument, "freeze: nothing is left to learn");
  return learned;
}

Gradients gradients_of(const std::vector<Weight>& weights) {
  Gradients gradients;
  for (const Weight& weight : weights) {
    if (weight.matrix && weight.matrix->type() != WeightType::f32) *weight.matrix = widened(std::move(*weight.matrix));
    weight.matrix ? gradients.add(*weight.matrix) : gradients.add(*weight.vector);
  }
  return gradients;
}

}  // namespace

Trainer::Trainer(std::shared_ptr<const Model> model, TrainerConfig config)
    : model_(std::move(model)),
      config_(std::move(config)),
      learned_(not_frozen(learnable(*model_), config_.frozen)),
      gradients_(gradients_of(learned_)),
      optimizer_(config_.optimizer, learned_, gradients_),
      tape_(config_.dropout) {
  for (int i = 1; i < config_.workers; ++i) others_.push_back({Tape(config_.dropout), gradients_of(learned_), {}});
}

std::vector<Trainer::Part> Trainer::shares(std::vector<ForwardInputs> parts) const {
  std::int64_t labels = 0, sentences = 0;
  for (const ForwardInputs& part : parts) {
    labels += count_labels(*model_, part);
    sentences += count_sentences(part);
  }
  if (labels + sentences == 0)
    throw Error(Code::invalid_argument, "labels: none of the batch counts, so that nothing can be learned from it");
  const auto share_of = [](std::int64_t count, std::int64_t all) { return all > 0 ? float(double(count) / double(all)) : 0; };
  const std::uint64_t seed = Random(config_.seed * golden_ratio + std::uint64_t(steps() + 1)).next();
  std::vector<Part> result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const LossShare share{share_of(count_labels(*model_, parts[i]), labels), share_of(count_sentences(parts[i]), sentences)};
    if (share.labels + share.sentences == 0) continue;
    result.push_back({std::move(parts[i]), share, seed << 32 | i});
  }
  return result;
}

Task<float> Trainer::pass(Part part, Tape& tape, Gradients& gradients, Workspace& workspace, Schedule& schedule) const {
  tape.restart(part.seed);
  const TrainingPass training{tape, gradients, config_.label_smoothing, part.share};
  co_return co_await forward_backward(*model_, std::move(part.inputs), training, workspace, schedule);
}

double Trainer::pass_together(std::vector<Part> parts, Workspace& workspace) {
  const std::size_t count = std::min(others_.size() + 1, parts.size());
  std::vector<double> losses(count);
  config_.together(int(count), [&](int index) {
    const auto worker = std::size_t(index);
    Tape& tape = worker == 0 ? tape_ : others_[worker - 1].tape;
    Gradients& gradients = worker == 0 ? gradients_ : others_[worker - 1].gradients;
    Workspace& scratch = worker == 0 ? workspace : others_[worker - 1].workspace;
    if (worker > 0) gradients.clear();
    Schedule schedule;
    for (std::size_t i = worker; i < parts.size(); i += count)
      losses[worker] += Job<float>(schedule, pass(std::move(parts[i]), tape, gradients, scratch, schedule)).finish();
  });
  for (std::size_t worker = 1; worker < count; ++worker) gradients_.add(others_[worker - 1].gradients);
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

Task<TrainerStep> Trainer::step(std::vector<ForwardInputs> parts, Workspace& workspace, Schedule& schedule) {
  gradients_.clear();  // of a step that was abandoned, too
  TrainerStep result{.step = optimizer_.steps + 1};
  std::vector<Part> shared = shares(std::move(parts));
  if (others_.empty()) {
    for (Part& part : shared) result.loss += co_await pass(std::move(part), tape_, gradients_, workspace, schedule);
  } else {
    result.loss = pass_together(std::move(shared), workspace);
  }
  result.gradient_norm = optimizer_.gradient_norm();
  result.learning_rate = learning_rate(config_.schedule, result.step);
  optimizer_.step(float(result.learning_rate), result.gradient_norm);
  co_return result;
}

}  // namespace webformer
