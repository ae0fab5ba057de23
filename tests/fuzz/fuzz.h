// What a fuzz target is: bytes in, and one of two ends, success or a documented error. Anything else ends the program.
// With clang: -fsanitize=fuzzer,address,undefined. With any compiler: link replay.cpp, which gives it files and changes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace webformer::fuzz {

/// internal_error means a bug in this library, never in its input.
template <class Call>
void expect_documented_end(Call call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.code() != Code::internal_error) return;
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();
  }
}

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace webformer::fuzz
