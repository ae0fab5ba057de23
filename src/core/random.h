#pragma once
// The one random generator: xoshiro128++ (Blackman & Vigna 2019), seeded through splitmix64, so that a seed gives the same numbers
// everywhere.

#include <array>
#include <cstdint>

namespace webformer {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept;

  std::uint32_t next() noexcept;  ///< 32 random bits
  double uniform() noexcept;      ///< in [0, 1), 53 bits
  double normal() noexcept;       ///< mean 0, deviation 1 (Box-Muller)
  /// In [0, bound), without bias (Lemire 2019). bound > 0.
  std::uint32_t below(std::uint32_t bound) noexcept;

 private:
  std::array<std::uint32_t, 4> state_;
};

}  // namespace webformer
