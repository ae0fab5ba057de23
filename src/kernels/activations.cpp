#include "kernels/elementwise.h"
#include "kernels/simd_math.h"

namespace webformer {

namespace {

struct Gelu {
  static constexpr float sqrt_half = 0.70710678118f, sqrt_2_over_pi = 0.79788456080f, cubic = 0.044715f, quick = 1.702f;
};

template <class F>
F gelu(F x) {
  return constant<F>(Common::half) * x * (constant<F>(Common::one) + simd_erf(x * constant<F>(Gelu::sqrt_half)));
}

/// 0.5 x (1 + tanh u) = x sigmoid(2u)
template <class F>
F gelu_tanh(F x) {
  const F u = constant<F>(Gelu::sqrt_2_over_pi) * multiply_add(constant<F>(Gelu::cubic) * x * x, x, x);
  return x * simd_sigmoid(u + u);
}

/// Calls `visit` with the function of an activation, so that its loop is compiled once for each.
template <class F, class Visit>
void with_function(Activation activation, Visit visit) {
  switch (activation) {
    case Activation::identity: return visit([](F x) { return x; });
    case Activation::relu: return visit([](F x) { return at_least(x, F(0.f)); });
    case Activation::gelu: return visit([](F x) { return gelu(x); });
    case Activation::gelu_tanh: return visit([](F x) { return gelu_tanh(x); });
    case Activation::quick_gelu: return visit([](F x) { return x * simd_sigmoid(constant<F>(Gelu::quick) * x); });
    case Activation::silu: return visit([](F x) { return x * simd_sigmoid(x); });
    case Activation::tanh: return visit([](F x) { return simd_tanh(x); });
    case Activation::sigmoid: return visit([](F x) { return simd_sigmoid(x); });
  }
}

}  // namespace

void activate(Activation activation, Matrix x) noexcept {
  if (activation == Activation::identity) return;
  with_function<Floats>(activation, [&](auto f) {
    for (std::int64_t i = 0; i < x.rows; ++i) map_row<Floats>(x.cols, x.row(i), f, x.row(i));
  });
}

void activate_gated(Activation activation, Matrix gate, ConstMatrix up) noexcept {
  with_function<Floats>(activation, [&](auto f) {
    const auto gated = [f](Floats g, Floats u) { return f(g) * u; };
    for (std::int64_t i = 0; i < gate.rows; ++i) map_row<Floats>(gate.cols, gate.row(i), gated, gate.row(i), up.row(i));
  });
}

}  // namespace webformer
