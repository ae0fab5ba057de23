#pragma once
// The block formats of ggml, as floats. https://github.com/ggml-org/ggml: ggml-common.h has their layouts, ggml-quants.c their meaning.

#include <cstddef>
#include <span>

#include "formats/dtype.h"

namespace webformer {

/// Whole blocks of a quantized type, wherever the bytes start. out: as many numbers as the blocks hold.
void dequantize(DType dtype, std::span<const std::byte> bytes, float* out) noexcept;

}  // namespace webformer
