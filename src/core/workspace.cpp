#include "core/workspace.h"

#include <algorithm>

namespace webformer {

namespace {
constexpr std::size_t alignment = 64;
constexpr std::size_t smallest_block = std::size_t(1) << 18;
}  // namespace

void* Workspace::allocate_bytes(std::size_t count) {
  const std::size_t needed = (std::max<std::size_t>(count, 1) + alignment - 1) / alignment * alignment;
  while (block_ < blocks_.size() && blocks_[block_].size - used_ < needed) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    // One more block as large as all before: the arena settles after a few passes.
    const std::size_t size = std::max({needed, bytes(), smallest_block});
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size + alignment), size});
  }
  std::byte* start = blocks_[block_].memory.get();
  start += (alignment - reinterpret_cast<std::uintptr_t>(start) % alignment) % alignment;
  void* result = start + used_;
  used_ += needed;
  return result;
}

void Workspace::release(Mark mark) noexcept {
  block_ = mark.block;
  used_ = mark.used;
}

std::size_t Workspace::bytes() const noexcept {
  std::size_t total = 0;
  for (const Block& block : blocks_) total += block.size;
  return total;
}

}  // namespace webformer
