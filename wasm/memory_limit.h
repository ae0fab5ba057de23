#pragma once
// How much memory there is: WebAssembly's 4 GB, less what is in use.

#include <cstdint>

#include "core/tensor.h"

namespace webformer {

/// What a WebAssembly memory can have at most, in bytes.
std::uint64_t max_memory() noexcept;
/// What can still be allocated, in bytes; a little less than the rest, since a heap has gaps.
std::uint64_t free_memory() noexcept;

/// Throws out_of_memory where the floats of a tensor are more than that.
void check_room(const Shape& shape);
/// Zeros, where there is room for them.
Array checked_array(const Shape& shape);

}  // namespace webformer
