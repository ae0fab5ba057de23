#pragma once
// Norms, activations, softmax, rotary positions: row by row, in place where the formula allows.

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

/// What the epsilon of layer_norm is added to.
enum class EpsilonPlace {
  variance,   ///< sqrt(var + epsilon): PyTorch
  deviation,  ///< sqrt(var) + epsilon: how textbooks write it
};

/// y = (x - mean) / sqrt(var + epsilon) * weight + bias over each row (Ba et al. 2016). weight and bias: [C], either may be null.
/// y may be x.
void layer_norm(ConstMatrix x, const float* weight, const float* bias, float epsilon, Matrix y,
                EpsilonPlace place = EpsilonPlace::variance) noexcept;
/// y = x / sqrt(mean(x^2) + epsilon) * (offset + weight) over each row (Zhang & Sennrich 2019); offset is 1 for Gemma, else 0.
/// weight: [C], or null to multiply by nothing. y may be x.
void rms_norm(ConstMatrix x, const float* weight, float offset, float epsilon, Matrix y) noexcept;

/// y_i = exp(x_i - max x) / sum_j exp(x_j - max x) over each row, in place. A row that is all -inf becomes zeros.
void softmax(Matrix x) noexcept;
/// y_i = x_i - max x - log sum_j exp(x_j - max x) over each row, in place.
void log_softmax(Matrix x) noexcept;

/// x += y, and x *= factor. Shapes are equal.
void add(Matrix x, ConstMatrix y) noexcept;
void scale(Matrix x, float factor) noexcept;
/// x = cap * tanh(x / cap), in place (Gemma 2).
void soft_cap(Matrix x, float cap) noexcept;

/// How RoPE pairs the numbers of a head.
enum class RopeLayout {
  half,         ///< (i, i + rotated/2): GPT-NeoX, LLaMA as Hugging Face stores it
  interleaved,  ///< (2i, 2i + 1): the paper, GGUF's LLaMA
};

/// Rotates the first `rotated` numbers of each head by position times frequency (Su et al. 2021), in place.
/// x: [T, H*D]; positions: [T]; frequencies: [rotated/2], radians a position; `magnitude` multiplies sine and cosine (YaRN; 1 otherwise).
void rope(Matrix x, int heads, int head_size, int rotated, RopeLayout layout, const std::int32_t* positions, const float* frequencies,
          float magnitude) noexcept;

/// Whether all numbers are finite.
bool all_finite(ConstMatrix x) noexcept;
/// The index of the largest number; the lowest one of a tie. x: [N], N > 0.
std::int64_t argmax(std::span<const float> x) noexcept;

}  // namespace webformer
