#include "native/threads.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace webformer {

int count_cores() noexcept { return int(std::max(std::thread::hardware_concurrency(), 1u)); }

void run_in_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  const auto guarded = [&](int index) noexcept {
    try {
      work(index);
    } catch (...) {
      failures[std::size_t(index)] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < count; ++i) threads.emplace_back(guarded, i);
  guarded(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

}  // namespace webformer
