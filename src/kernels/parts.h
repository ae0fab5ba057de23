#pragma once
// Work cut into parts, between which a job may stop. The parts of a product are the whole's blocks and tiles: no bit depends on the cut.

#include <cstdint>

namespace webformer {

/// The most multiplications of one part: about 10 to 20 ms
inline constexpr std::int64_t part_operations = std::int64_t(1) << 28;
/// The same for work that is done number by number, an activation as a rule.
inline constexpr std::int64_t part_numbers = part_operations / 64;

/// Multiplications of x W^T, where x is [N, I] and W [O, I].
constexpr std::int64_t linear_operations(std::int64_t rows, std::int64_t inputs, std::int64_t outputs) noexcept {
  return rows * inputs * outputs;
}

/// Multiplications of attention's scores and of its sums of values, over heads of `width` numbers together.
constexpr std::int64_t attention_operations(std::int64_t queries, std::int64_t keys, std::int64_t width) noexcept {
  return 2 * queries * keys * width;
}

/// Where the next part of a product begins.
struct LinearPlace {
  std::int64_t row = 0, col = 0;  ///< of y
};

/// Where the next part of an attention begins.
struct AttentionPlace {
  int kv_head = 0;
  std::int64_t tile = 0;  ///< of its queries' rows
};

}  // namespace webformer
