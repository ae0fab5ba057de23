#pragma once
// Single vectors, where there is no matrix to multiply: words are learned, and compared, a pair at a time.

#include <cstdint>

namespace webformer {

/// The sum of a_i b_i. a, b: [N].
float dot(const float* a, const float* b, std::int64_t count) noexcept;
/// y_i += factor x_i. x, y: [N].
void add_scaled(float factor, const float* x, float* y, std::int64_t count) noexcept;

/// a.b / (max(|a|, eps) max(|b|, eps)) with eps = 1e-8, as PyTorch has it: 0 where one of them is zeros. a, b: [N].
float cosine_similarity(const float* a, const float* b, std::int64_t count) noexcept;
/// da += factor (b / (|a| |b|) - cos a / |a|^2): the gradient by a, times factor; nothing for zeros.
void cosine_similarity_backward(const float* a, const float* b, float factor, float* da, std::int64_t count) noexcept;

}  // namespace webformer
