#pragma once
// Elementary functions of whole batches. NaN gives NaN. Largest errors, measured over all floats by simd_math_test:
// simd_exp 1.5 ulp, simd_sigmoid 3 ulp, simd_tanh 3 ulp, simd_erf 4e-7.

#include "kernels/simd.h"

namespace webformer {

template <class F, std::size_t N>
inline F polynomial(F x, const float (&coefficients)[N]) noexcept {
  F sum = constant<F>(coefficients[0]);
  unroll<int(N) - 1>([&](auto i) { sum = multiply_add(sum, x, constant<F>(coefficients[i + 1])); });
  return sum;
}

/// e^x = 2^n e^r with r in [-ln 2 / 2, ln 2 / 2] (polynomial of Cephes' expf). 0 below -87.7, infinity above 88.4.
template <class F>
inline F simd_exp(F x) noexcept {
  using Ints = IntsOf<F>;
  x = at_least(at_most(x, constant<F>(88.8f)), constant<F>(-88.0f));
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const F shifted = multiply_add(x, constant<F>(1.44269504f), constant<F>(12582912.f));
  const F n = shifted - constant<F>(12582912.f);
  F r = multiply_add(n, constant<F>(-0.693359375f), x);
  r = multiply_add(n, constant<F>(2.12194440e-4f), r);
  const F p = polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  const F e = multiply_add(p, r * r, r) + constant<F>(1.f);
  const Ints power = (xsimd::bitwise_cast<std::int32_t>(shifted) << 23) + xsimd::bitwise_cast<std::int32_t>(constant<F>(1.f));
  return e * xsimd::bitwise_cast<float>(power);
}

template <class F>
inline F simd_sigmoid(F x) noexcept {
  return constant<F>(1.f) / (constant<F>(1.f) + simd_exp(-x));
}

/// By the polynomial of Cephes' tanhf below 0.625, where 1 - 2 / (e^2x + 1) would cancel.
template <class F>
inline F simd_tanh(F x) noexcept {
  const F square = x * x;
  const F p = polynomial(square, {-5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f, 1.33314422036e-1f, -3.33332819422e-1f});
  const F small = multiply_add(p * square, x, x);
  const F size = xsimd::abs(x);
  const F large = constant<F>(1.f) - constant<F>(2.f) / (simd_exp(size + size) + constant<F>(1.f));
  return xsimd::select(size < constant<F>(0.625f), small, xsimd::copysign(large, x));
}

/// Rational approximation on [-4, 4] (Eigen's and XLA's coefficients).
template <class F>
inline F simd_erf(F x) noexcept {
  x = at_least(at_most(x, constant<F>(4.f)), constant<F>(-4.f));
  const F square = x * x;
  const F p = polynomial(square, {-2.72614225801306e-10f, 2.77068142495902e-08f, -2.10102402082508e-06f, -5.69250639462346e-05f,
                                  -7.34990630326855e-04f, -2.95459980854025e-03f, -1.60960333262415e-02f});
  const F q = polynomial(square, {-1.45660718464996e-05f, -2.13374055278905e-04f, -1.68282697438203e-03f, -7.37332916720468e-03f,
                                  -1.42647390514189e-02f});
  return x * p / q;
}

}  // namespace webformer
