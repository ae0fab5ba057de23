#pragma once
// How much memory there is: WebAssembly's 4 GB, less what is in use.

#include <cstdint>

namespace webformer {

/// What a WebAssembly memory can have at most, in bytes.
std::uint64_t max_memory() noexcept;
/// What can still be allocated, in bytes; a little less than the rest, since a heap has gaps.
std::uint64_t free_memory() noexcept;

}  // namespace webformer
