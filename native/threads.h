#pragma once
// Threads, which only the native program has.

#include <functional>

namespace webformer {

/// How many cores there are for this program.
int count_cores() noexcept;

/// Calls work(0) to work(count - 1) at the same time, in a thread each; the first is the caller's. See Together.
void run_in_threads(int count, const std::function<void(int)>& work);

}  // namespace webformer
