#include "allocations.h"

#include <atomic>
#include <cstdlib>
#include <limits>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

namespace webformer {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t> live{0}, peak{0};
std::atomic<std::size_t> until_refusal{none};
std::atomic<bool> refused{false};

std::size_t usable_size(void* memory) noexcept {
#ifdef __APPLE__
  return malloc_size(memory);
#else
  return malloc_usable_size(memory);
#endif
}

bool is_refused() noexcept {
  if (until_refusal == none || until_refusal-- != 0) return false;
  until_refusal = none;
  refused = true;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (is_refused()) return nullptr;
  const bool plain = alignment <= alignof(std::max_align_t);
  if (!plain && bytes > none - alignment) return nullptr;
  void* memory =
      plain ? std::malloc(bytes != 0 ? bytes : 1) : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) return nullptr;
  const std::size_t now = live += usable_size(memory);
  for (std::size_t before = peak; before < now && !peak.compare_exchange_weak(before, now);) {
  }
  return memory;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* memory = allocate(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  live -= usable_size(memory);
  std::free(memory);
}

}  // namespace

std::size_t live_bytes() noexcept { return live; }
std::size_t peak_bytes() noexcept { return peak; }
void reset_peak_bytes() noexcept { peak = live.load(); }

RefusedAllocation::RefusedAllocation(std::size_t number) noexcept {
  refused = false;
  until_refusal = number;
}
RefusedAllocation::~RefusedAllocation() { until_refusal = none; }
bool RefusedAllocation::happened() const noexcept { return refused; }

}  // namespace webformer

// All forms are replaced, the arrays' too: a sanitizer's own would take the place of those left to the standard library.
using std::align_val_t, std::nothrow_t, std::size_t;
using webformer::allocate, webformer::allocate_or_throw, webformer::release;
constexpr size_t plain = alignof(std::max_align_t);
void* operator new(size_t bytes) { return allocate_or_throw(bytes, plain); }
void* operator new[](size_t bytes) { return allocate_or_throw(bytes, plain); }
void* operator new(size_t bytes, align_val_t alignment) { return allocate_or_throw(bytes, static_cast<size_t>(alignment)); }
void* operator new[](size_t bytes, align_val_t alignment) { return allocate_or_throw(bytes, static_cast<size_t>(alignment)); }
void* operator new(size_t bytes, const nothrow_t&) noexcept { return allocate(bytes, plain); }
void* operator new[](size_t bytes, const nothrow_t&) noexcept { return allocate(bytes, plain); }
void* operator new(size_t bytes, align_val_t alignment, const nothrow_t&) noexcept {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, align_val_t alignment, const nothrow_t&) noexcept {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, align_val_t, const nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, align_val_t, const nothrow_t&) noexcept { release(memory); }

/// The sanitizer's malloc gives null for what is too large, as others do, instead of ending the program.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
