#include "training/trainer.h"

#include <algorithm>

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
      tape_(config_.dropout) {}

Task<TrainerStep> Trainer::step(std::vector<ForwardInputs> parts, Workspace& workspace, Schedule& schedule) {
  gradients_.clear();  // of a step that was abandoned, too
  std::int64_t all = 0;
  for (const ForwardInputs& part : parts) all += count_labels(*model_, part);
  if (all == 0) throw Error(Code::invalid_argument, "labels: none of the batch counts, so that nothing can be learned from it");
  TrainerStep result{.step = optimizer_.steps + 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double share = double(count_labels(*model_, parts[i])) / double(all);
    if (share == 0) continue;
    // The same dropout in a run that was resumed.
    tape_.restart(std::uint64_t(Random(config_.seed * golden_ratio + std::uint64_t(result.step)).next()) << 32 | i);
    const TrainingPass pass{tape_, gradients_, config_.label_smoothing, float(share)};
    result.loss += share * co_await forward_backward(*model_, std::move(parts[i]), pass, workspace, schedule);
  }
  result.gradient_norm = optimizer_.gradient_norm();
  result.learning_rate = learning_rate(config_.schedule, result.step);
  optimizer_.step(float(result.learning_rate), result.gradient_norm);
  co_return result;
}

}  // namespace webformer
