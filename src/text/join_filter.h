#pragma once
// Where a long text can be cut before its pieces are merged: between two characters that no merge ever joins.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "text/hash.h"

namespace webformer {

/// A set of pairs of neighbours. It may take a pair for one that it has, which only makes a part longer.
class JoinFilter {
 public:
  JoinFilter() = default;
  explicit JoinFilter(std::vector<std::pair<char32_t, char32_t>> pairs) {
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    words_.assign(std::bit_ceil(std::clamp<std::size_t>(pairs.size() / 4, 64, max_words)), 0);
    for (const auto& [left, right] : pairs) words_[place(left, right) >> 6] |= std::uint64_t(1) << (place(left, right) & 63);
  }

  bool empty() const noexcept { return words_.empty(); }
  bool may_join(char32_t left, char32_t right) const noexcept {
    return words_.empty() || (words_[place(left, right) >> 6] >> (place(left, right) & 63) & 1u) != 0;
  }

  /// Calls use(begin, end) for parts that no merge leaves, in order. Without pairs the whole text is one part.
  template <class Use>
  void each_part(std::string_view text, Use use) const {
    std::size_t begin = 0, at = 0;
    char32_t left = 0;
    while (at < text.size()) {
      const std::size_t here = at;
      const char32_t right = next_code_point(text, at);
      if (here > begin && !may_join(left, right)) {
        use(begin, here);
        begin = here;
      }
      left = right;
    }
    if (begin < text.size()) use(begin, text.size());
  }

  template <class Archive>
  friend void transfer(Archive& archive, JoinFilter& it) {
    archive(it.words_);
    if constexpr (Archive::is_reading) {
      if (!it.words_.empty() && !std::has_single_bit(it.words_.size())) Archive::refuse("the pairs are no power of two");
    }
  }

 private:
  static constexpr std::size_t max_words = 1u << 16;
  std::size_t place(char32_t left, char32_t right) const noexcept {
    return mix_bits(std::uint64_t(left) << 32 | right) & (words_.size() * 64 - 1);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace webformer
