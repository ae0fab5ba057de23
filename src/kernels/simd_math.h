#pragma once
// Elementary functions of whole batches. NaN gives NaN. The largest errors, which simd_math_test measures:
// simd_exp 2 ulp, simd_sigmoid 3 ulp, simd_tanh 3 ulp, simd_erf 4e-7.

#include "kernels/simd.h"

namespace webformer {

/// Constants have a place in memory: see `constant`.
struct Common {
  static constexpr float half = 0.5f, one = 1, two = 2;
};

template <class F, std::size_t N>
inline F polynomial(F x, const float (&coefficients)[N]) noexcept {
  F sum = constant<F>(coefficients[0]);
  unroll<int(N) - 1>([&](auto i) { sum = multiply_add(sum, x, constant<F>(coefficients[i + 1])); });
  return sum;
}

struct Exp {
  static constexpr float highest = 88.8f, lowest = -88, log2_e = 1.44269504f, ln2_high = -0.693359375f, ln2_low = 2.12194440e-4f;
  static constexpr float shifter = 12582912;  // 1.5 * 2^23: adding it rounds to an integer and leaves that in the low bits
  static constexpr float terms[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                                    4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
};

/// e^x = 2^n e^r with r in [-ln 2 / 2, ln 2 / 2] (polynomial of Cephes' expf). 0 below -87.7, infinity above 88.4.
template <class F>
inline F simd_exp(F x) noexcept {
  const F one = constant<F>(Common::one), shifter = constant<F>(Exp::shifter);
  x = at_least(at_most(x, constant<F>(Exp::highest)), constant<F>(Exp::lowest));
  const F shifted = multiply_add(x, constant<F>(Exp::log2_e), shifter), n = shifted - shifter;
  F r = multiply_add(n, constant<F>(Exp::ln2_high), x);
  r = multiply_add(n, constant<F>(Exp::ln2_low), r);
  const F e = multiply_add(polynomial(r, Exp::terms), r * r, r) + one;
  const auto power = (xsimd::bitwise_cast<std::int32_t>(shifted) << 23) + xsimd::bitwise_cast<std::int32_t>(one);
  return e * xsimd::bitwise_cast<float>(power);
}

template <class F>
inline F simd_sigmoid(F x) noexcept {
  const F one = constant<F>(Common::one);
  return one / (one + simd_exp(-x));
}

struct Tanh {
  static constexpr float small = 0.625f;
  static constexpr float terms[] = {-5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f};
};

/// By the polynomial of Cephes' tanhf below 0.625, where 1 - 2 / (e^2x + 1) would cancel.
template <class F>
inline F simd_tanh(F x) noexcept {
  const F square = x * x, size = xsimd::abs(x), one = constant<F>(Common::one);
  const F small = multiply_add(polynomial(square, Tanh::terms) * square, x, x);
  const F large = one - constant<F>(Common::two) / (simd_exp(size + size) + one);
  return xsimd::select(size < constant<F>(Tanh::small), small, xsimd::copysign(large, x));
}

struct Erf {
  static constexpr float highest = 4, lowest = -4;
  static constexpr float numerator[] = {-2.72614225801306e-10f, 2.77068142495902e-08f,  -2.10102402082508e-06f, -5.69250639462346e-05f,
                                        -7.34990630326855e-04f, -2.95459980854025e-03f, -1.60960333262415e-02f};
  static constexpr float denominator[] = {-1.45660718464996e-05f, -2.13374055278905e-04f, -1.68282697438203e-03f, -7.37332916720468e-03f,
                                          -1.42647390514189e-02f};
};

/// Rational approximation on [-4, 4] (the coefficients of Eigen and XLA).
template <class F>
inline F simd_erf(F x) noexcept {
  x = at_least(at_most(x, constant<F>(Erf::highest)), constant<F>(Erf::lowest));
  const F square = x * x;
  return x * polynomial(square, Erf::numerator) / polynomial(square, Erf::denominator);
}

}  // namespace webformer
