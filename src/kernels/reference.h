#pragma once
// The naive twin of each kernel, written straight from its formula with sums in double: the oracle of the tests.

#include <cstdint>
#include <span>

#include "kernels/kernels.h"

namespace webformer::reference {

/// weights: [N, K], not packed.
void linear(ConstMatrix x, ConstMatrix weights, const float* bias, Matrix y);

/// Whether query t may see key s.
bool sees(const AttentionArgs& args, std::int64_t t, std::int64_t s) noexcept;
void attention(const AttentionArgs& args);

double activate(Activation activation, double x);
void activate(Activation activation, Matrix x);
void activate_gated(Activation activation, Matrix gate, ConstMatrix up);

void layer_norm(ConstMatrix x, const float* weight, const float* bias, float epsilon, Matrix y,
                EpsilonPlace place = EpsilonPlace::variance);
void rms_norm(ConstMatrix x, const float* weight, float offset, float epsilon, Matrix y);

void softmax(Matrix x);
void log_softmax(Matrix x);

void add(Matrix x, ConstMatrix y);
void scale(Matrix x, float factor);
void soft_cap(Matrix x, float cap);

void rope(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
          float magnitude);

bool all_finite(ConstMatrix x);
std::int64_t argmax(std::span<const float> x);

}  // namespace webformer::reference
