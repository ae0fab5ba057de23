#pragma once
// A second, slow look at JSON text that simdjson has refused: where the fault is, and which whole numbers are just too long for it.

#include <cstddef>
#include <string_view>
#include <vector>

namespace webformer {

struct JsonScan {
  std::string_view expected;              ///< what should stand at `position`; empty where the text is right
  std::size_t position = 0;               ///< in bytes
  std::vector<std::size_t> big_integers;  ///< the ends of whole numbers beyond 64 bits
};

JsonScan scan_json(std::string_view text, std::size_t max_depth);

}  // namespace webformer
