#pragma once
// Words as symbols that are merged pair by pair, with the counts of all pairs kept up to date.

#include <cstdint>
#include <vector>

#include "text/training/pair_counts.h"
#include "text/training/word_counts.h"

namespace webformer {

class MergingWords {
 public:
  /// A piece of a word; `length` in characters.
  struct Symbol {
    std::uint32_t id, length;
  };

  explicit MergingWords(const WordCounts& counts) : counts_(counts) {}

  /// Ends the word before; words come in the order of `counts`.
  void begin_word() { spans_.push_back({symbols_.size(), 0}); }
  void add_character(std::uint32_t id) {
    symbols_.push_back({id, 1});
    ++spans_.back().size;
  }
  std::size_t size() const noexcept { return spans_.size(); }
  void count_pairs(std::uint32_t word) {
    const Symbol* symbols = symbols_.data() + spans_[word].begin;
    for (std::uint32_t i = 1; i < spans_[word].size; ++i) add_pair({symbols[i - 1].id, symbols[i].id}, word);
  }

  /// In one word, from the left: the pair becomes `merged`. The count of the pair itself is not kept up: it has had its turn.
  /// A new pair counts where lets_in(left length, right length).
  template <class LetsIn>
  void merge(SymbolPair pair, std::uint32_t merged, std::uint32_t word, LetsIn lets_in) {
    Span& span = spans_[word];
    Symbol* symbols = symbols_.data() + span.begin;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < span.size; ++i) {
      if (symbols[i].id != pair.left || i + 1 == span.size || symbols[i + 1].id != pair.right) {
        symbols[kept++] = symbols[i];
        continue;
      }
      const Symbol joined{merged, symbols[i].length + symbols[i + 1].length};
      if (kept > 0) {
        const Symbol before = symbols[kept - 1];
        remove_pair({before.id, pair.left}, word);
        if (lets_in(before.length, joined.length)) add_pair({before.id, merged}, word);
      }
      if (i + 2 < span.size) {
        const Symbol after = symbols[i + 2];
        remove_pair({pair.right, after.id}, word);
        if (lets_in(joined.length, after.length)) add_pair({merged, after.id}, word);
      }
      symbols[kept++] = joined;
      ++i;
    }
    span.size = kept;
  }

  PairCounts pairs;

 private:
  struct Span {
    std::size_t begin;
    std::uint32_t size;
  };

  void add_pair(SymbolPair pair, std::uint32_t word) { pairs.add(pair, std::int64_t(counts_.count(word)), word); }
  void remove_pair(SymbolPair pair, std::uint32_t word) { pairs.remove(pair, std::int64_t(counts_.count(word))); }

  const WordCounts& counts_;
  std::vector<Symbol> symbols_;  // of all words; a span gets shorter when its symbols are merged
  std::vector<Span> spans_;
};

}  // namespace webformer
