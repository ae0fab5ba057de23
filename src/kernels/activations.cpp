#include "kernels/elementwise.h"
#include "kernels/simd_math.h"

namespace webformer {

namespace {

struct Gelu {
  static constexpr float sqrt_half = 0.70710678118f, sqrt_2_over_pi = 0.79788456080f, cubic = 0.044715f, quick = 1.702f;
  static constexpr float minus_half = -0.5f, one_over_sqrt_2_pi = 0.39894228040f, three_cubic = 3 * cubic;
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

/// (x Phi(x))' = Phi(x) + x phi(x)
template <class F>
F gelu_slope(F x) {
  const F half = constant<F>(Common::half);
  const F distribution = multiply_add(half, simd_erf(x * constant<F>(Gelu::sqrt_half)), half);
  return multiply_add(x * constant<F>(Gelu::one_over_sqrt_2_pi), simd_exp(constant<F>(Gelu::minus_half) * x * x), distribution);
}

/// (x sigmoid(u(x)))' = s + x s (1 - s) u'(x)
template <class F>
F sigmoid_product_slope(F x, F u, F u_slope) {
  const F s = simd_sigmoid(u);
  return multiply_add(x * u_slope, s * (constant<F>(Common::one) - s), s);
}

template <class F>
F gelu_tanh_slope(F x) {
  const F u = constant<F>(Gelu::sqrt_2_over_pi) * multiply_add(constant<F>(Gelu::cubic) * x * x, x, x);
  const F slope = constant<F>(Gelu::sqrt_2_over_pi) * multiply_add(constant<F>(Gelu::three_cubic) * x, x, constant<F>(Common::one));
  return sigmoid_product_slope(x, u + u, slope + slope);
}

/// Calls `visit` with an activation and its derivative, so that loops are compiled once for each.
template <class F, class Visit>
void with_function(Activation activation, Visit visit) {
  constexpr auto one_minus = [](F x) { return constant<F>(Common::one) - x; };
  switch (activation) {
    case Activation::identity: return visit([](F x) { return x; }, [](F) { return F(1.f); });
    case Activation::relu:
      return visit([](F x) { return at_least(x, F(0.f)); }, [](F x) { return xsimd::select(x > F(0.f), F(1.f), F(0.f)); });
    case Activation::gelu: return visit([](F x) { return gelu(x); }, [](F x) { return gelu_slope(x); });
    case Activation::gelu_tanh: return visit([](F x) { return gelu_tanh(x); }, [](F x) { return gelu_tanh_slope(x); });
    case Activation::quick_gelu:
      return visit([](F x) { return x * simd_sigmoid(constant<F>(Gelu::quick) * x); },
                   [](F x) { return sigmoid_product_slope(x, constant<F>(Gelu::quick) * x, constant<F>(Gelu::quick)); });
    case Activation::silu:
      return visit([](F x) { return x * simd_sigmoid(x); }, [](F x) { return sigmoid_product_slope(x, x, constant<F>(Common::one)); });
    case Activation::tanh: return visit([](F x) { return simd_tanh(x); }, [=](F x) { return one_minus(simd_tanh(x) * simd_tanh(x)); });
    case Activation::sigmoid:
      return visit([](F x) { return simd_sigmoid(x); }, [=](F x) { return simd_sigmoid(x) * one_minus(simd_sigmoid(x)); });
  }
}

}  // namespace

void activate(Activation activation, Matrix x) noexcept {
  if (activation == Activation::identity) return;
  with_function<Floats>(activation, [&](auto f, auto) {
    for (std::int64_t i = 0; i < x.rows; ++i) map_row<Floats>(x.cols, x.row(i), f, x.row(i));
  });
}

void activate_gated(Activation activation, Matrix gate, ConstMatrix up) noexcept {
  with_function<Floats>(activation, [&](auto f, auto) {
    const auto gated = [f](Floats g, Floats u) { return f(g) * u; };
    for (std::int64_t i = 0; i < gate.rows; ++i) map_row<Floats>(gate.cols, gate.row(i), gated, gate.row(i), up.row(i));
  });
}

void activate_backward(Activation activation, ConstMatrix x, ConstMatrix dy, Matrix dx) noexcept {
  with_function<Floats>(activation, [&](auto, auto slope) {
    const auto chained = [slope](Floats v, Floats d) { return d * slope(v); };
    for (std::int64_t i = 0; i < x.rows; ++i) map_row<Floats>(x.cols, dx.row(i), chained, x.row(i), dy.row(i));
  });
}

void activate_gated_backward(Activation activation, ConstMatrix gate, ConstMatrix up, ConstMatrix dy, Matrix dgate, Matrix dup) noexcept {
  with_function<Floats>(activation, [&](auto f, auto slope) {
    const auto backward = [&](std::int64_t i, std::int64_t j, auto load, auto store) {
      const Floats g = load(gate.row(i) + j), u = load(up.row(i) + j), d = load(dy.row(i) + j);
      store(d * u * slope(g), dgate.row(i) + j);
      store(d * f(g), dup.row(i) + j);
    };
    for (std::int64_t i = 0; i < gate.rows; ++i) {
      std::int64_t j = 0;
      for (; j + lanes<Floats> <= gate.cols; j += lanes<Floats>) {
        backward(i, j, [](const float* x) { return Floats::load_unaligned(x); }, [](Floats v, float* y) { v.store_unaligned(y); });
      }
      const std::int64_t rest = gate.cols - j;
      if (rest == 0) continue;
      backward(
          i, j, [=](const float* x) { return load_part<Floats>(x, rest); }, [=](Floats v, float* y) { store_part<Floats>(v, y, rest); });
    }
  });
}

}  // namespace webformer
