#include "text/training/sentencepiece_bpe_trainer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/utf8.h"
#include "text/training/character_counts.h"
#include "text/training/merging_words.h"

namespace webformer {
namespace {

constexpr std::uint32_t words_a_breath = 512;

class SentencePieceBpeLearner {
 public:
  SentencePieceBpeLearner(const WordCounts& counts, const PieceRules& rules) : counts_(counts), rules_(rules), words_(counts) {}

  Task<> split_words(Schedule& schedule);
  Task<> merge_pairs(std::size_t size, TrainingProgress& progress, Schedule& schedule);
  LearntPieces take() && { return {std::move(merged_), std::move(characters_)}; }

 private:
  struct Candidate {
    std::int64_t count;
    SymbolPair pair;
    PairCounts::Range words;
  };

  std::u32string text(SymbolPair pair) const { return texts_[pair.left] + texts_[pair.right]; }
  std::size_t length(SymbolPair pair) const { return texts_[pair.left].size() + texts_[pair.right].size(); }
  char32_t character(SymbolPair pair, std::size_t index) const {
    const std::u32string& left = texts_[pair.left];
    return index < left.size() ? left[index] : texts_[pair.right][index - left.size()];
  }
  /// Whether b comes first.
  bool is_later(const Candidate& a, const Candidate& b) const;
  void push(const Candidate& candidate) {
    queue_.push_back(candidate);
    std::push_heap(queue_.begin(), queue_.end(), [&](const Candidate& a, const Candidate& b) { return is_later(a, b); });
  }
  Candidate pop() {
    std::pop_heap(queue_.begin(), queue_.end(), [&](const Candidate& a, const Candidate& b) { return is_later(a, b); });
    const Candidate top = queue_.back();
    queue_.pop_back();
    return top;
  }
  void queue_new_pairs();

  const WordCounts& counts_;
  const PieceRules& rules_;
  MergingWords words_;
  std::vector<std::string> characters_;
  std::vector<std::u32string> texts_;  // of the symbols
  std::vector<std::string> merged_;
  std::vector<Candidate> queue_;
};

bool SentencePieceBpeLearner::is_later(const Candidate& a, const Candidate& b) const {
  if (a.count != b.count) return a.count < b.count;
  const std::size_t size = length(a.pair), other_size = length(b.pair);
  if (size != other_size) return size > other_size;
  for (std::size_t i = 0; i < size; ++i) {
    const char32_t x = character(a.pair, i), y = character(b.pair, i);
    if (x != y) return x > y;
  }
  return a.pair > b.pair;
}

Task<> SentencePieceBpeLearner::split_words(Schedule& schedule) {
  for (const CharacterCount& one : co_await count_characters(counts_, schedule)) {
    if (PieceRules::is_letter(one.character)) characters_.push_back(to_utf8(one.character));
  }
  std::unordered_map<char32_t, std::uint32_t> ids;
  for (std::uint32_t i = 0; i < counts_.size(); ++i) {
    if (i % words_a_breath == 0) co_await schedule.breathe();
    const std::string_view word = counts_.word(i);
    words_.begin_word();
    for (std::size_t at = 0; at < word.size();) {
      const char32_t c = next_code_point(word, at);
      const auto [id, is_new] = ids.try_emplace(c, std::uint32_t(texts_.size()));
      if (is_new) texts_.emplace_back(1, c);
      words_.add_character(id->second);
    }
    words_.count_pairs(i);
  }
  queue_new_pairs();
}

void SentencePieceBpeLearner::queue_new_pairs() {
  words_.pairs.end_round([&](SymbolPair pair, std::int64_t count, PairCounts::Range words) {
    if (rules_.allows(text(pair))) push({count, pair, words});
  });
}

/// Pairs that other merges have used up come last, as pieces that no text is ever merged to: the vocabulary is to be full.
Task<> SentencePieceBpeLearner::merge_pairs(std::size_t size, TrainingProgress& progress, Schedule& schedule) {
  const std::size_t room = size - std::min(size, characters_.size());
  std::unordered_set<std::u32string> made;
  progress = {0, room};
  while (merged_.size() < room && !queue_.empty()) {
    co_await schedule.breathe();
    Candidate top = pop();
    if (const std::int64_t count = words_.pairs.count(top.pair); count != top.count) {
      top.count = count;
      push(top);
      continue;
    }
    std::u32string piece = text(top.pair);
    if (!made.insert(piece).second) continue;
    const auto id = std::uint32_t(texts_.size());
    std::string& bytes = merged_.emplace_back();
    for (const char32_t c : piece) append_utf8(bytes, c);
    texts_.push_back(std::move(piece));
    for (std::uint32_t i = 0; i < top.words.size; ++i) {
      if (i % words_a_breath == words_a_breath - 1) co_await schedule.breathe();
      words_.merge(top.pair, id, words_.pairs.word(top.words, i), [](std::uint32_t, std::uint32_t) { return true; });
    }
    queue_new_pairs();
    progress.done = merged_.size();
  }
}

}  // namespace

Task<LearntPieces> learn_sentencepiece_bpe(const WordCounts& words, const PieceRules& rules, std::size_t size, TrainingProgress& progress,
                                           Schedule& schedule) {
  SentencePieceBpeLearner learner(words, rules);
  co_await learner.split_words(schedule);
  co_await learner.merge_pairs(size, progress, schedule);
  co_return std::move(learner).take();
}

}  // namespace webformer
