#pragma once
// What a file is that was taken for a file of weights: the answer to most reports of a "corrupt model".

#include <cstddef>
#include <span>
#include <string_view>

namespace webformer {

/// ", it looks like a GGUF file" and the like, from the first 8 bytes; "" where nothing is recognised.
std::string_view foreign_file_hint(std::span<const std::byte> start) noexcept;

}  // namespace webformer
