#include "text/training/bpe_trainer.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/training/character_counts.h"
#include "text/training/merging_words.h"

namespace webformer {
namespace {

/// A pair that waits for its turn, and the words in which a round made it.
struct Candidate {
  std::int64_t count;
  SymbolPair pair;
  std::uint64_t serial;
  PairCounts::Range words;

  /// Whether `other` comes first.
  bool operator<(const Candidate& other) const noexcept {
    if (count != other.count) return count < other.count;
    if (pair != other.pair) return pair > other.pair;
    return serial > other.serial;
  }
};

class BpeLearner {
 public:
  BpeLearner(const WordCounts& words, const TrainerOptions& options) : counts_(words), options_(options), words_(words) {
    longest_ = std::uint32_t(std::min<std::size_t>(options.max_token_length.value_or(no_limit), no_limit));
  }

  std::uint32_t add_token(const std::string& token) {
    const auto [at, is_new] = ids_.try_emplace(token, std::uint32_t(tokens_.size()));
    if (is_new) tokens_.push_back(token);
    return at->second;
  }
  Task<> add_alphabet(Schedule& schedule);
  Task<> split_words(Schedule& schedule);
  Task<> count_pairs(Schedule& schedule);
  Task<> merge_pairs(TrainingProgress& progress, Schedule& schedule);
  LearntBpe take() && { return {std::move(tokens_), std::move(merges_)}; }

 private:
  static constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t words_a_breath = 512;

  std::string joined(SymbolPair pair) const {
    const std::string& prefix = options_.continuing_prefix ? *options_.continuing_prefix : no_prefix_;
    const std::string& right = tokens_[pair.right];
    return tokens_[pair.left] + (right.starts_with(prefix) ? right.substr(prefix.size()) : right);
  }
  void queue_new_pairs();

  const WordCounts& counts_;
  const TrainerOptions& options_;
  const std::string no_prefix_;
  std::uint32_t longest_;

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  StringPool merges_;

  std::unordered_map<char32_t, std::uint32_t> alphabet_;  // the id of each character alone
  MergingWords words_;
  std::vector<Candidate> queue_;
  std::uint64_t serial_ = 0;
};

/// The characters that are given come before the most frequent ones where there is a limit.
Task<> BpeLearner::add_alphabet(Schedule& schedule) {
  std::vector<char32_t> kept;
  for (const std::string& given : options_.initial_alphabet) {
    std::size_t at = 0;
    if (!given.empty()) kept.push_back(next_code_point(given, at));
  }
  const auto sort = [&] {
    std::ranges::sort(kept);
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  };
  sort();
  const std::size_t given_count = kept.size();
  for (const CharacterCount& one : co_await count_characters(counts_, schedule)) {
    if (!std::binary_search(kept.begin(), kept.begin() + std::ptrdiff_t(given_count), one.character)) kept.push_back(one.character);
  }
  if (options_.limit_alphabet) kept.resize(std::min(kept.size(), *options_.limit_alphabet));
  sort();
  for (const char32_t c : kept) alphabet_[c] = add_token(to_utf8(c));
}

/// Characters that are not in the alphabet are left out.
Task<> BpeLearner::split_words(Schedule& schedule) {
  const bool is_plain = !options_.continuing_prefix && !options_.end_of_word_suffix;
  for (std::uint32_t i = 0; i < counts_.size(); ++i) {
    if (i % words_a_breath == 0) co_await schedule.breathe();
    const std::string_view word = counts_.word(i);
    words_.begin_word();
    for (std::size_t at = 0; at < word.size();) {
      const bool is_first = at == 0;
      const auto letter = alphabet_.find(next_code_point(word, at));
      if (letter == alphabet_.end()) continue;
      std::uint32_t id = letter->second;
      if (!is_plain) {
        std::string token = tokens_[id];
        if (!is_first && options_.continuing_prefix) token = *options_.continuing_prefix + token;
        if (at == word.size() && options_.end_of_word_suffix) token += *options_.end_of_word_suffix;
        id = add_token(token);
      }
      words_.add_character(id);
    }
  }
}

Task<> BpeLearner::count_pairs(Schedule& schedule) {
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    if (i % words_a_breath == 0) co_await schedule.breathe();
    words_.count_pairs(i);
  }
  queue_new_pairs();
}

void BpeLearner::queue_new_pairs() {
  words_.pairs.end_round([&](SymbolPair pair, std::int64_t count, PairCounts::Range words) {
    if (count <= 0) return;
    queue_.push_back({count, pair, serial_, words});
    std::push_heap(queue_.begin(), queue_.end());
  });
  ++serial_;
}

Task<> BpeLearner::merge_pairs(TrainingProgress& progress, Schedule& schedule) {
  const auto lets_in = [&](std::uint32_t left, std::uint32_t right) { return longest_ == no_limit || left + right < longest_; };
  progress = {tokens_.size(), std::max(options_.vocab_size, tokens_.size())};
  while (tokens_.size() < options_.vocab_size && !queue_.empty()) {
    co_await schedule.breathe();
    std::pop_heap(queue_.begin(), queue_.end());
    Candidate top = queue_.back();
    queue_.pop_back();
    const std::int64_t count = words_.pairs.count(top.pair);
    if (top.count != count) {
      top.count = count;
      queue_.push_back(top);
      std::push_heap(queue_.begin(), queue_.end());
      continue;
    }
    if (count < 1 || std::uint64_t(count) < options_.min_frequency) break;
    merges_.push_back(tokens_[top.pair.left]);
    merges_.push_back(tokens_[top.pair.right]);
    const std::uint32_t merged = add_token(joined(top.pair));
    for (std::size_t i = 0; i < top.words.size; ++i) {
      if (i % words_a_breath == words_a_breath - 1) co_await schedule.breathe();
      words_.merge(top.pair, merged, words_.pairs.word(top.words, i), lets_in);
    }
    queue_new_pairs();
    progress.done = tokens_.size();
  }
  progress.done = progress.total;
}

}  // namespace

Task<LearntBpe> learn_bpe(const WordCounts& words, const TrainerOptions& options, TrainingProgress& progress, Schedule& schedule) {
  BpeLearner learner(words, options);
  for (const std::string& token : options.special_tokens) learner.add_token(token);
  co_await learner.add_alphabet(schedule);
  co_await learner.split_words(schedule);
  co_await learner.count_pairs(schedule);
  co_await learner.merge_pairs(progress, schedule);
  co_return std::move(learner).take();
}

}  // namespace webformer
