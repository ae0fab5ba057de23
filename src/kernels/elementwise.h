#pragma once
// Norms, activations, softmax, rotary positions, dropout: row by row, in place where the formula allows.
// A backward kernel takes dy, the gradient of the forward's output, and writes dx, the gradient of its input; dx may be dy.
// Gradients of weights are added up.

#include <cstdint>
#include <span>

#include "core/tensor.h"

namespace webformer {

enum class Activation {
  identity,
  relu,
  gelu,        ///< x Phi(x), by erf (Hendrycks & Gimpel 2016)
  gelu_tanh,   ///< the tanh approximation: Hugging Face's gelu_new and gelu_pytorch_tanh
  quick_gelu,  ///< x sigmoid(1.702 x)
  silu,        ///< x sigmoid(x), also called swish
  tanh,
  sigmoid,
};

/// x_i = f(x_i), in place.
void activate(Activation activation, Matrix x) noexcept;
/// gate_i = f(gate_i) * up_i, in place in gate: SwiGLU, GeGLU, ReGLU (Shazeer 2020).
void activate_gated(Activation activation, Matrix gate, ConstMatrix up) noexcept;
/// dx_i = dy_i f'(x_i), from the forward's input x.
void activate_backward(Activation activation, ConstMatrix x, ConstMatrix dy, Matrix dx) noexcept;
/// dgate_i = dy_i up_i f'(gate_i) and dup_i = dy_i f(gate_i), from the forward's inputs. Either may be dy.
void activate_gated_backward(Activation activation, ConstMatrix gate, ConstMatrix up, ConstMatrix dy, Matrix dgate, Matrix dup) noexcept;

/// What the epsilon of layer_norm is added to.
enum class EpsilonPlace {
  variance,   ///< sqrt(var + epsilon): PyTorch
  deviation,  ///< sqrt(var) + epsilon: how textbooks write it
};

/// y = (x - mean) / sqrt(var + epsilon) * weight + bias over each row (Ba et al. 2016). weight and bias: [C], either may be null.
/// y may be x.
void layer_norm(ConstMatrix x, const float* weight, const float* bias, float epsilon, Matrix y,
                EpsilonPlace place = EpsilonPlace::variance) noexcept;
/// From the forward's input x. With n_i = (x_i - mean) / s, s = sqrt(var + epsilon) and g_i = dy_i weight_i:
/// dx_i = (g_i - mean(g) - n_i mean(g n)) / s; dweight_i += dy_i n_i; dbias_i += dy_i. dweight and dbias may be null.
void layer_norm_backward(ConstMatrix x, const float* weight, float epsilon, ConstMatrix dy, Matrix dx, float* dweight, float* dbias,
                         EpsilonPlace place = EpsilonPlace::variance) noexcept;
/// y = x / sqrt(mean(x^2) + epsilon) * (offset + weight) over each row (Zhang & Sennrich 2019); offset is 1 for Gemma, else 0.
/// weight: [C], or null to multiply by nothing. y may be x.
void rms_norm(ConstMatrix x, const float* weight, float offset, float epsilon, Matrix y) noexcept;
/// From the forward's input x. With n_i = x_i / s, s = sqrt(mean(x^2) + epsilon) and g_i = dy_i (offset + weight_i):
/// dx_i = (g_i - n_i mean(g n)) / s; dweight_i += dy_i n_i. dweight may be null.
void rms_norm_backward(ConstMatrix x, const float* weight, float offset, float epsilon, ConstMatrix dy, Matrix dx, float* dweight) noexcept;

/// y_i = exp(x_i - max x) / sum_j exp(x_j - max x) over each row, in place. A row that is all -inf becomes zeros.
void softmax(Matrix x) noexcept;
/// dx_i = y_i (dy_i - sum_j dy_j y_j), from the forward's output y.
void softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx) noexcept;
/// y_i = x_i - max x - log sum_j exp(x_j - max x) over each row, in place.
void log_softmax(Matrix x) noexcept;
/// dx_i = dy_i - exp(y_i) sum_j dy_j, from the forward's output y.
void log_softmax_backward(ConstMatrix y, ConstMatrix dy, Matrix dx) noexcept;

/// x += y, and x *= factor. Shapes are equal.
void add(Matrix x, ConstMatrix y) noexcept;
void scale(Matrix x, float factor) noexcept;
/// x = cap * tanh(x / cap), in place (Gemma 2).
void soft_cap(Matrix x, float cap) noexcept;
/// dx_i = dy_i (1 - (y_i / cap)^2), from the forward's output y.
void soft_cap_backward(ConstMatrix y, float cap, ConstMatrix dy, Matrix dx) noexcept;

/// How RoPE pairs the numbers of a head.
enum class RopeLayout {
  half,         ///< (i, i + rotated/2): GPT-NeoX, LLaMA as Hugging Face stores it
  interleaved,  ///< (2i, 2i + 1): the paper, GGUF's LLaMA
};

/// Rotates the first `rotated` numbers of each head by position times frequency (Su et al. 2021), in place.
/// x: [T, H*D]; positions: [T]; frequencies: [rotated/2], radians a position; `magnitude` multiplies sine and cosine (YaRN; 1 otherwise).
void rope(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
          float magnitude) noexcept;
/// Turns gradients back, in place: dx of dy.
void rope_backward(Matrix dy, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions,
                   const float* frequencies, float magnitude) noexcept;

/// Sets a share `rate` of all numbers to 0 and divides the others by 1 - rate, in place (Srivastava et al. 2014). Which ones follows
/// from the seed and the place alone, so the backward is the same call on the gradient. 0 <= rate < 1.
void dropout(Matrix x, float rate, std::uint64_t seed) noexcept;

/// Whether all numbers are finite.
bool all_finite(ConstMatrix x) noexcept;
/// The index of the largest number; the lowest one of a tie. x: [N], N > 0.
std::int64_t argmax(std::span<const float> x) noexcept;

}  // namespace webformer
