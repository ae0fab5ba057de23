#pragma once
// Rows cut into tiles of a few, whose number the inner kernels know at compile time.

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace webformer {

/// Calls f(constant) with the constant that equals `rows`, from 1 to Most.
template <int Most, class Function>
inline void with_rows(std::int64_t rows, Function f) {
  if constexpr (Most > 1) {
    if (rows < Most) return with_rows<Most - 1>(rows, f);
  }
  f(std::integral_constant<int, Most>{});
}

/// Rows cut into as few tiles as possible, all of nearly the same size.
struct Tiles {
  std::int64_t count, small, larger;  // the first `larger` tiles have small + 1 rows, the others small

  Tiles(std::int64_t rows, std::int64_t most)
      : count((rows + most - 1) / most), small(count ? rows / count : 0), larger(count ? rows % count : 0) {}
  std::int64_t first_row(std::int64_t tile) const noexcept { return tile * small + std::min(tile, larger); }
  std::int64_t rows(std::int64_t tile) const noexcept { return small + (tile < larger); }
};

}  // namespace webformer
