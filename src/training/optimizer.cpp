#include "training/optimizer.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "kernels/optimize.h"

namespace webformer {

namespace {

void require(bool right, std::string_view name, float found, std::string_view expected) {
  if (!right) throw Error(Code::invalid_argument, "{} {}: {} expected", name, found, expected);
}

void check(const OptimizerConfig& c) {
  require(c.momentum >= 0 && c.momentum < 1, "momentum", c.momentum, "at least 0 and less than 1");
  require(c.beta1 >= 0 && c.beta1 < 1, "beta1", c.beta1, "at least 0 and less than 1");
  require(c.beta2 >= 0 && c.beta2 < 1, "beta2", c.beta2, "at least 0 and less than 1");
  require(c.epsilon >= 0 && std::isfinite(c.epsilon), "epsilon", c.epsilon, "a finite number, at least 0,");
  require(c.weight_decay >= 0 && std::isfinite(c.weight_decay), "weightDecay", c.weight_decay, "a finite number, at least 0,");
  require(c.clip >= 0, "clip", c.clip, "at least 0");
}

}  // namespace

Optimizer::Optimizer(const OptimizerConfig& config, std::vector<Weight> weights, Gradients& gradients)
    : config_(config), weights_(std::move(weights)) {
  check(config_);
  for (const Weight& weight : weights_) {
    if (weight.matrix) {
      if (const PackedWeights* gradient = gradients.of(*weight.matrix))
        parameters_.push_back({weight.matrix->numbers(), gradient->numbers()});
    } else if (const float* gradient = gradients.of(*weight.vector)) {
      parameters_.push_back({*weight.vector, {gradient, weight.vector->size()}});
    }
  }
  const bool adam = config_.kind != OptimizerKind::sgd;
  for (const Parameter& p : parameters_) {
    states_.push_back(
        {std::vector<float>(adam || config_.momentum > 0 ? p.weight.size() : 0), std::vector<float>(adam ? p.weight.size() : 0)});
  }
}

double Optimizer::gradient_norm() const noexcept {
  double squares = 0;
  for (const Parameter& p : parameters_) squares += sum_of_squares(p.gradient);
  return std::sqrt(squares);
}

void Optimizer::step(float learning_rate, double norm) {
  if (!std::isfinite(norm)) throw Error(Code::numeric_error, "gradient norm {}: a finite number expected", norm);
  ++steps;
  const double clip = config_.clip > 0 ? std::min(1.0, config_.clip / (norm + 1e-6)) : 1;  // as torch.nn.utils.clip_grad_norm_
  const bool decoupled = config_.kind == OptimizerKind::adamw;
  const GradientChange change{.factor = float(clip), .decay = decoupled ? 0 : config_.weight_decay};
  const AdamStep adam{.rate = learning_rate,
                      .beta1 = config_.beta1,
                      .beta2 = config_.beta2,
                      .epsilon = config_.epsilon,
                      .decoupled_decay = decoupled ? config_.weight_decay : 0,
                      .correction1 = float(1 - std::pow(double(config_.beta1), double(steps))),
                      .correction2 = float(1 - std::pow(double(config_.beta2), double(steps)))};
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto& [weight, gradient] = parameters_[i];
    if (config_.kind == OptimizerKind::sgd) {
      sgd_step(weight, gradient, change, learning_rate, config_.momentum, states_[i].first);
    } else {
      adam_step(weight, gradient, change, adam, states_[i].first, states_[i].second);
    }
  }
}

}  // namespace webformer
