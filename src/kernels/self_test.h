#pragma once

#include <string_view>

namespace webformer {

/// What the kernels were compiled for, as capabilities() names it.
std::string_view simd_build() noexcept;

/// Whether the machine multiplies as the kernels expect: a few thousand products of bytes and of floats against scalar code.
/// A WebAssembly engine may accept relaxed SIMD and yet compute wrong sums (node 20 behind its flag), which validation does not show.
bool simd_self_test() noexcept;

}  // namespace webformer
