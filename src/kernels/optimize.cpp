#include "kernels/optimize.h"

#include <cmath>

#include "kernels/simd.h"

namespace webformer {

namespace {

/// Calls step(i, load, store) for batches of `count` numbers; load(x) and store(value, x) take the batch of x at i.
template <class F, class Step>
void each_batch(std::int64_t count, Step step) {
  std::int64_t i = 0;
  for (; i + lanes<F> <= count; i += lanes<F>) {
    step([i](const float* x) { return F::load_unaligned(x + i); }, [i](F value, float* x) { value.store_unaligned(x + i); });
  }
  const std::int64_t rest = count - i;
  if (rest == 0) return;
  step([=](const float* x) { return load_part<F>(x + i, rest); }, [=](F value, float* x) { store_part<F>(value, x + i, rest); });
}

}  // namespace

void sgd_step(std::span<float> weight, std::span<const float> gradient, GradientChange change, float rate, float momentum,
              std::span<float> velocity) noexcept {
  using F = Floats;
  const F factor(change.factor), decay(change.decay), r(rate), mu(momentum);
  each_batch<F>(std::int64_t(weight.size()), [&](auto load, auto store) {
    const F w = load(weight.data());
    F g = multiply_add(factor, load(gradient.data()), decay * w);
    if (!velocity.empty()) {
      g = multiply_add(mu, load(velocity.data()), g);
      store(g, velocity.data());
    }
    store(w - r * g, weight.data());
  });
}

void adam_step(std::span<float> weight, std::span<const float> gradient, GradientChange change, const AdamStep& step, std::span<float> mean,
               std::span<float> variance) noexcept {
  using F = Floats;
  const F factor(change.factor), decay(change.decay), kept(1 - step.rate * step.decoupled_decay);
  const F beta1(step.beta1), rest1(1 - step.beta1), beta2(step.beta2), rest2(1 - step.beta2);
  const F rate(step.rate / step.correction1), inverse_root(1 / std::sqrt(step.correction2)), epsilon(step.epsilon);
  each_batch<F>(std::int64_t(weight.size()), [&](auto load, auto store) {
    const F w = load(weight.data());
    const F g = multiply_add(factor, load(gradient.data()), decay * w);
    const F m = multiply_add(beta1, load(mean.data()), rest1 * g);
    const F v = multiply_add(beta2, load(variance.data()), rest2 * g * g);
    store(m, mean.data());
    store(v, variance.data());
    store(w * kept - rate * m / (xsimd::sqrt(v) * inverse_root + epsilon), weight.data());
  });
}

double sum_of_squares(std::span<const float> x) noexcept {
  constexpr std::size_t block = 1024;  // few enough for a float sum
  double total = 0;
  for (std::size_t i = 0; i < x.size(); i += block) {
    const std::span<const float> part = x.subspan(i, std::min(block, x.size() - i));
    total += dot_row<Floats>(std::int64_t(part.size()), part.data(), part.data());
  }
  return total;
}

}  // namespace webformer
