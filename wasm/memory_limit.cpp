#include "wasm/memory_limit.h"

#include <emscripten/heap.h>
#include <malloc.h>

namespace webformer {

std::uint64_t max_memory() noexcept { return emscripten_get_heap_max(); }

std::uint64_t free_memory() noexcept {
  constexpr std::uint64_t reserve = 64 << 20;
  const std::uint64_t in_use = emscripten_get_heap_size() - std::uint32_t(mallinfo().fordblks);
  return in_use + reserve < max_memory() ? max_memory() - in_use - reserve : 1;
}

}  // namespace webformer
