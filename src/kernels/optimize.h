#pragma once
// Steps of optimizers over all numbers of one weight, as torch.optim's. Spans are of one size.

#include <span>

namespace webformer {

/// What a gradient goes through before a step takes it: g = factor * gradient + decay * weight.
struct GradientChange {
  float factor = 1;  ///< clipping
  float decay = 0;   ///< L2 regularization
};

/// v = momentum v + g; w -= rate v. velocity: empty where momentum is 0.
void sgd_step(std::span<float> weight, std::span<const float> gradient, GradientChange change, float rate, float momentum,
              std::span<float> velocity) noexcept;

struct AdamStep {
  float rate;
  float beta1, beta2;
  float epsilon;
  float decoupled_decay;           ///< w is multiplied by 1 - rate * this first (AdamW, Loshchilov & Hutter 2019)
  float correction1, correction2;  ///< 1 - beta^t of the step t, counted from 1
};

/// m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; w -= rate m / correction1 / (sqrt(v / correction2) + epsilon) (Kingma & Ba 2015).
void adam_step(std::span<float> weight, std::span<const float> gradient, GradientChange change, const AdamStep& step, std::span<float> mean,
               std::span<float> variance) noexcept;

/// The sum of x^2, in double.
double sum_of_squares(std::span<const float> x) noexcept;

}  // namespace webformer
