#include "training/trainer.h"

#include <algorithm>

#include "training/labels.h"

namespace webformer {

namespace {

constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // 2^64 over it: seeds that are neighbours lie far apart

std::vector<Weight> not_frozen(const Model& model, const std::vector<std::string>& frozen) {
  const auto begins = [](const Weight& weight, const std::string& start) { return weight.name.starts_with(start); };
  for (const std::string& start : frozen) {
    if (std::ranges::none_of(model.weights, [&](const Weight& weight) { return begins(weight, start); }))
      throw Error(Code::invalid_argument, "freeze: no weight's name begins with {}; there is {}", start, model.weights.front().name);
  }
  std::vector<Weight> learned;
  for (const Weight& weight : model.weights) {
    if (std::ranges::none_of(frozen, [&](const std::string& start) { return begins(weight, start); })) learned.push_back(weight);
  }
  if (learned.empty()) throw Error(Code::invalid_argument, "freeze: nothing is left to learn");
  return learned;
}

/// The same numbers as f32, in the same place, so that all who share the matrix have them.
void widen(PackedWeights& weights) {
  if (weights.type() == WeightType::f32) return;
  PackedWeights wide(WeightType::f32, weights.rows(), weights.cols());
  std::vector<float> row(std::size_t(weights.cols()));
  for (std::int64_t i = 0; i < weights.rows(); ++i) {
    weights.row(i, row.data());
    wide.fill(i, ConstMatrix(row.data(), 1, weights.cols()));
  }
  weights = std::move(wide);
}

Gradients gradients_of(const std::vector<Weight>& weights) {
  Gradients gradients;
  for (const Weight& weight : weights) {
    if (weight.matrix) widen(*weight.matrix);
    weight.matrix ? gradients.add(*weight.matrix) : gradients.add(*weight.vector);
  }
  return gradients;
}

}  // namespace

Trainer::Trainer(std::shared_ptr<const Model> model, TrainerConfig config)
    : model_(std::move(model)),
      config_(std::move(config)),
      learned_(not_frozen(*model_, config_.frozen)),
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
