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

void check_room(const Shape& shape) {
  const std::uint64_t bytes = std::uint64_t(shape.size()) * sizeof(float), free = free_memory();
  if (bytes > free) throw Error(Code::out_of_memory, "a tensor of {} takes {} bytes, {} are free", to_text(shape), bytes, free);
}

Array checked_array(const Shape& shape) {
  check_room(shape);
  return Array(shape);
}

}  // namespace webformer
