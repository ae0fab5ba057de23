#pragma once
// Work cut into parts, between which a job may stop. The parts of a product are the whole's blocks and tiles: no bit depends on the cut.

#include <cstdint>

namespace webformer {

/// The most multiplications of one part: about 10 to 20 ms
inline constexpr std::int64_t part_operations = std::int64_t(1) << 28;
/// The same for work that is done number by number, an activation as a rule.
inline constexpr std::int64_t part_numbers = part_operations / 64;

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
