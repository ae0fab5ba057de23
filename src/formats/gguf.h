#pragma once
// GGUF, versions 2 and 3: metadata with types, the tensors' table, then their bytes, each at a multiple of the alignment.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "formats/tensor_table.h"

namespace webformer {

bool is_gguf(std::span<const std::byte> start) noexcept;

/// From the first bytes of the file; nothing where the header is longer than these. Shapes are row-major, the rows last, as in safetensors
/// (GGUF's own order is the reverse). Throws invalid_file for anything that is not as the format says, and for headers over 256 MB;
/// unsupported_model for a tensor type that is not read. Nothing is allocated by a number of the file before it is checked.
std::optional<TensorTable> parse_gguf_header(std::span<const std::byte> start, std::uint64_t file_size, std::string file);

}  // namespace webformer
