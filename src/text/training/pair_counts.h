#pragma once
// How often each pair of neighbouring symbols occurs, and in which words it is new.

#include <cstdint>
#include <span>
#include <vector>

#include "text/hash.h"

namespace webformer {

struct SymbolPair {
  std::uint32_t left, right;
  auto operator<=>(const SymbolPair&) const = default;
};

/// Flat tables throughout: there are millions of pairs, most of them rare.
class PairCounts {
 public:
  static constexpr std::uint32_t no_word = ~0u;

  struct Entry {
    SymbolPair pair;
    std::int64_t count = 0;
    std::uint32_t last_word = no_word;  ///< of this round
    std::uint32_t new_words = 0;        ///< in this round
  };
  /// Where the words of a pair are, in words().
  struct Range {
    std::size_t begin = 0;
    std::uint32_t size = 0;
  };

  std::int64_t count(SymbolPair pair) { return entries_[find(pair)].count; }
  void remove(SymbolPair pair, std::int64_t count) { entries_[find(pair)].count -= count; }
  void add(SymbolPair pair, std::int64_t count, std::uint32_t word) {
    const std::uint32_t index = find(pair);
    Entry& entry = entries_[index];
    entry.count += count;
    if (entry.last_word == word) return;
    entry.last_word = word;
    if (entry.new_words++ == 0) touched_.push_back(index);
    seen_.push_back({index, word});
  }

  /// Ends a round: `use(pair, count, range)` for each pair that came up in it.
  template <class Use>
  void end_round(Use use) {
    cursors_.resize(entries_.size());
    for (const std::uint32_t index : touched_) {
      Entry& entry = entries_[index];
      cursors_[index] = words_.size();
      use(entry.pair, entry.count, Range{words_.size(), entry.new_words});
      words_.resize(words_.size() + entry.new_words);
      entry.new_words = 0;
      entry.last_word = no_word;
    }
    for (const auto& [index, word] : seen_) words_[cursors_[index]++] = word;
    touched_.clear();
    seen_.clear();
  }
  std::uint32_t word(const Range& range, std::size_t index) const noexcept { return words_[range.begin + index]; }

 private:
  struct Seen {
    std::uint32_t entry, word;
  };

  /// The entry of the pair, which is made where there is none.
  std::uint32_t find(SymbolPair pair) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    std::size_t at = place(pair);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
      if (entries_[slots_[at] - 1].pair == pair) return slots_[at] - 1;
    }
    entries_.push_back({pair});
    slots_[at] = std::uint32_t(entries_.size());
    return slots_[at] - 1;
  }
  std::size_t place(SymbolPair pair) const noexcept {
    return std::size_t(mix_bits(std::uint64_t(pair.left) << 32 | pair.right)) & (slots_.size() - 1);
  }
  void grow() {
    slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t at = place(entries_[i].pair);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = std::uint32_t(i + 1);
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // open addressing by hash: entry and one, or 0
  std::vector<std::uint32_t> touched_;
  std::vector<Seen> seen_;
  std::vector<std::size_t> cursors_;  // by entry, within end_round()
  std::vector<std::uint32_t> words_;
};

}  // namespace webformer
