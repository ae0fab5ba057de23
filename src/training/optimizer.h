#pragma once
// From gradients to new weights.

#include <cstdint>
#include <span>
#include <vector>

#include "model/tape.h"
#include "model/weight_plan.h"

namespace webformer {

enum class OptimizerKind {
  sgd,    ///< with momentum
  adam,   ///< Kingma & Ba 2015
  adamw,  ///< its weight decay apart from the gradient (Loshchilov & Hutter 2019)
};

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::adamw;
  float momentum = 0;  ///< of sgd
  float beta1 = 0.9f, beta2 = 0.999f;
  float epsilon = 1e-8f;
  float weight_decay = 0;
  float clip = 0;  ///< 0: none; else gradients are scaled down to this norm, all together
};

class Optimizer {
 public:
  /// What a weight has beside it: the velocity of sgd, or the means of Adam's gradients and of their squares. Its size is the weight's.
  struct State {
    std::vector<float> first, second;
  };

  /// Changes those of `weights` that `gradients` learns. Both live as long as this. Throws invalid_argument for numbers that are no
  /// optimizer's.
  Optimizer(const OptimizerConfig& config, std::vector<Weight> weights, Gradients& gradients);

  /// The 2-norm of all gradients together.
  double gradient_norm() const noexcept;
  /// One step with the gradients as they are; `norm` is gradient_norm(). Throws numeric_error where it is not finite; nothing has changed
  /// then.
  void step(float learning_rate, double norm);

  /// For checkpoints: the state of each learned weight, in the order of `weights`, and how many steps were made.
  std::vector<State>& states() noexcept { return states_; }
  std::int64_t steps = 0;

 private:
  struct Parameter {
    std::span<float> weight;
    std::span<const float> gradient;
  };

  OptimizerConfig config_;
  std::vector<Weight> weights_;  // holds what parameters_ points to
  std::vector<Parameter> parameters_;
  std::vector<State> states_;
};

}  // namespace webformer
