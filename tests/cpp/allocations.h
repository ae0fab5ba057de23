// What the test program allocates by `new`: counted, and refused on request.
#pragma once

#include <cstddef>
#include <new>

#include "core/error.h"

namespace webformer {

/// Bytes that are allocated now and not yet freed.
std::size_t live_bytes() noexcept;

/// The most bytes that were allocated at one time since `reset_peak_bytes`.
std::size_t peak_bytes() noexcept;
void reset_peak_bytes() noexcept;

/// While it lives, the allocation of that number (from 0) throws std::bad_alloc, and every other succeeds.
class RefusedAllocation {
 public:
  explicit RefusedAllocation(std::size_t number) noexcept;
  ~RefusedAllocation();
  RefusedAllocation(const RefusedAllocation&) = delete;
  RefusedAllocation& operator=(const RefusedAllocation&) = delete;

  /// Were there as many allocations, so that one was refused?
  bool happened() const noexcept;
};

/// Calls `work` with its first allocation refused, then with its second, and so on until it has no more of them: SQLite's way to
/// test out of memory. Each call may end well, by std::bad_alloc or by Code::out_of_memory; any other exception goes through.
/// Gives the number of calls that failed.
template <typename Work>
std::size_t refuse_each_allocation(Work work) {
  std::size_t failures = 0;
  for (std::size_t number = 0;; ++number) {
    const RefusedAllocation refused(number);
    try {
      work();
    } catch (const std::bad_alloc&) {
      ++failures;
    } catch (const Error& error) {
      if (error.code() != Code::out_of_memory) throw;
      ++failures;
    }
    if (!refused.happened()) return failures;
  }
}

}  // namespace webformer
