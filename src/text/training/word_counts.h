#pragma once
// Words and how often each occurs, in the order of their first occurrence.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/string_pool.h"

namespace webformer {

class WordCounts {
 public:
  /// Throws out_of_memory where the words have more than 2^32 - 1 bytes together.
  void add(std::string_view word, std::uint64_t count = 1);

  std::size_t size() const noexcept { return words_.size(); }
  bool empty() const noexcept { return words_.empty(); }
  std::string_view word(std::size_t index) const noexcept { return words_[index]; }
  std::uint64_t count(std::size_t index) const noexcept { return counts_[index]; }

 private:
  void grow();

  StringPool words_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint32_t> slots_;  // open addressing by hash: index and one, or 0
};

}  // namespace webformer
