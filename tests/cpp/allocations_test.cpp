#include "allocations.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace webformer {
namespace {

/// A pointer that is stored here is used as far as clang knows, which deletes allocations whose memory nobody uses.
const void* volatile used;

}  // namespace

TEST_CASE("the test program's allocations are counted, aligned ones too") {
  struct alignas(64) Line {
    char bytes[64];
  };
  const std::size_t before = live_bytes();
  reset_peak_bytes();
  {
    const auto bytes = std::make_unique<char[]>(1000);
    const auto lines = std::make_unique<Line[]>(10);
    used = bytes.get();
    used = lines.get();
    CHECK(reinterpret_cast<std::uintptr_t>(lines.get()) % 64 == 0);
    CHECK(live_bytes() >= before + 1640);
  }
  CHECK(live_bytes() == before);
  CHECK(peak_bytes() >= before + 1640);
}

TEST_CASE("each allocation is refused once, and what was allocated before it is freed") {
  const std::size_t before = live_bytes();
  const std::size_t failures = refuse_each_allocation([] {
    std::vector<std::unique_ptr<int>> three(3);
    used = three.data();
    for (auto& one : three) {
      one = std::make_unique<int>(1);
      used = one.get();
    }
  });
  CHECK(failures == 4);
  CHECK(live_bytes() == before);
}

TEST_CASE("work that lives with a refused allocation is not counted as failed") {
  std::vector<int> numbers{3, 1, 2};
  const std::size_t failures = refuse_each_allocation([&] { std::stable_sort(numbers.begin(), numbers.end()); });
  CHECK(failures == 0);
  CHECK(numbers == std::vector<int>{1, 2, 3});
}

TEST_CASE("an exception of another kind goes through") {
  CHECK_THROWS_AS(refuse_each_allocation([] { throw Error(Code::invalid_file, "x"); }), Error);
}

}  // namespace webformer
