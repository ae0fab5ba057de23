#pragma once
// The naive twin of each kernel, written straight from its formula with sums in double: the oracle of the tests.

#include <cstdint>
#include <span>

#include "kernels/kernels.h"

namespace webformer::reference {

/// weights: [N, K], not packed.
void linear(ConstMatrix x, ConstMatrix weights, const float* bias, Matrix y);
void linear_backward_input(ConstMatrix dy, ConstMatrix weights, Matrix dx);
void linear_backward_weights(ConstMatrix x, ConstMatrix dy, Matrix gradient);
void linear_backward_bias(ConstMatrix dy, float* gradient);

/// Whether query t may see key s.
bool sees(const AttentionArgs& args, std::int64_t t, std::int64_t s) noexcept;
void attention(const AttentionArgs& args);
void attention_backward(const AttentionArgs& args, const AttentionGradients& gradients);

double activate(Activation activation, double x);
void activate(Activation activation, Matrix x);
void activate_gated(Activation activation, Matrix gate, ConstMatrix up);
double slope(Activation activation, double x);
void activate_backward(Activation activation, ConstMatrix x, ConstMatrix dy, Matrix dx);
void activate_gated_backward(Activation activation, ConstMatrix gate, ConstMatrix up, ConstMatrix dy, Matrix dgate, Matrix dup);

void layer_norm(ConstMatrix x, const float* weight, const float* bias, float epsilon, Matrix y,
                EpsilonPlace place = EpsilonPlace::variance);
void layer_norm_backward(ConstMatrix x, const float* weight, float epsilon, ConstMatrix dy, Matrix dx, float* dweight, float* dbias,
                         EpsilonPlace place = EpsilonPlace::variance);
void rms_norm(ConstMatrix x, const float* weight, float offset, float epsilon, Matrix y);
void rms_norm_backward(ConstMatrix x, const float* weight, float offset, float epsilon, ConstMatrix dy, Matrix dx, float* dweight);

void softmax(Matrix x);
void log_softmax(Matrix x);
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx);
void log_softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx);

CrossEntropy cross_entropy(ConstMatrix logits, const std::int32_t* labels, float label_smoothing = 0);
void cross_entropy_backward(ConstMatrix logits, const std::int32_t* labels, float label_smoothing, float factor, Matrix dlogits);

void add(Matrix x, ConstMatrix y);
void scale(Matrix x, float factor);
void soft_cap(Matrix x, float cap);
void soft_cap_backward(ConstMatrix y, float cap, ConstMatrix dy, Matrix dx);

void rope(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
          float magnitude);
void rope_backward(Matrix dy, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions,
                   const float* frequencies, float magnitude);

float dot(const float* a, const float* b, std::int64_t count);
void add_scaled(float factor, const float* x, float* y, std::int64_t count);

bool all_finite(ConstMatrix x);
std::int64_t argmax(std::span<const float> x);

}  // namespace webformer::reference
