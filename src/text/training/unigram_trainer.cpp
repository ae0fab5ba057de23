#include "text/training/unigram_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/training/piece_lattice.h"
#include "text/training/unigram_seeds.h"

namespace webformer {
namespace {

// The constants of both libraries.
constexpr std::size_t most_seeds = 1'000'000;
constexpr int passes_a_round = 2;
constexpr double least_expected = 0.5;   // of a piece, in all words
constexpr double kept_a_round = 0.75;    // of the pieces
constexpr double spare = 1.1;            // the size at which rounds end, over the size that is asked for
constexpr double penalty_step = 0.0001;  // from one character that fitting has dropped to the next, by falling count

constexpr std::uint32_t words_a_breath = 256;
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// d/dx log gamma(x), by its asymptotic series around x - 1/2, from 7 on.
double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  const double y = 1 / (x - 0.5), y2 = y * y;
  return result - std::log(y) + y2 * (1.0 / 24 - y2 * (7.0 / 960 - y2 * (31.0 / 8064 - y2 * 127.0 / 30720)));
}

class UnigramLearner {
 public:
  UnigramLearner(const WordCounts& words, const Seeds& seeds, std::size_t size, TrainingProgress& progress, Schedule& schedule)
      : words_(words),
        size_(size),
        character_count_(seeds.characters.size()),
        table_(texts_of(seeds)),
        lattice_(table_),
        progress_(progress),
        schedule_(schedule) {
    double total = 0;
    for (const SeedPiece& seed : seeds.characters) total += seed.weight;
    for (const SeedPiece& seed : seeds.pieces) total += seed.weight;
    std::size_t i = 0;
    for (const SeedPiece& seed : seeds.characters) table_.scores[i++] = std::log(seed.weight) - std::log(total);
    for (const SeedPiece& seed : seeds.pieces) table_.scores[i++] = std::log(seed.weight) - std::log(total);
  }

  Task<> learn();
  std::vector<LearntPiece> finish() const;

 private:
  static std::vector<std::string> texts_of(const Seeds& seeds) {
    std::vector<std::string> texts;
    for (const SeedPiece& seed : seeds.characters) texts.push_back(seed.text);
    for (const SeedPiece& seed : seeds.pieces) texts.push_back(seed.text);
    return texts;
  }
  std::size_t alive_count() const {
    return std::size_t(std::ranges::count_if(table_.scores, [](double score) { return score != minus_infinity; }));
  }
  void drop_dead();
  Task<> fit();
  Task<> prune();
  Task<> find_alternatives();
  /// use(lattice, count of the word): for all words, long ones in parts.
  template <class Use>
  Task<> each_word(Use use);

  const WordCounts& words_;
  std::size_t size_, character_count_;
  PieceTable table_;
  PieceLattice lattice_;
  double lost_score_ = 0;  // of a piece that is expected least_expected times
  TrainingProgress& progress_;
  Schedule& schedule_;

  // Of prune(), by piece: the best way to do without it, in alternatives_ from begins_[piece] to begins_[piece + 1].
  std::vector<std::uint32_t> alternatives_;
  std::vector<std::size_t> begins_;
};

template <class Use>
Task<> UnigramLearner::each_word(Use use) {
  lattice_.begin_pass();
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    if (i % words_a_breath == 0) co_await schedule_.breathe();
    std::string_view rest = words_.word(i);
    while (!rest.empty()) {
      std::size_t end = 0;
      for (std::size_t n = 0; end < rest.size() && n < PieceLattice::longest_word; ++n) end += utf8_width(rest[end]);
      lattice_.set_word(rest.substr(0, end));
      use(double(words_.count(i)));
      rest.remove_prefix(end);
    }
  }
  progress_.done += words_.size();
  progress_.total = std::max(progress_.total, progress_.done);
}

/// A smaller trie is a faster one. Characters stay, dead or alive: finish() needs them.
void UnigramLearner::drop_dead() {
  const auto stays = [&](std::size_t i) { return i < character_count_ || table_.is_alive(i); };
  std::vector<std::string> pieces;
  std::vector<double> scores;
  for (std::size_t i = 0; i < table_.pieces.size(); ++i) {
    if (stays(i)) pieces.push_back(table_.pieces[i]), scores.push_back(table_.scores[i]);
  }
  if (2 * pieces.size() > table_.pieces.size()) return;
  table_ = PieceTable(std::move(pieces));
  table_.scores = std::move(scores);
}

/// One pass of the EM algorithm, with digamma for the logarithm: few pieces get more of it (Liang and Klein 2007).
Task<> UnigramLearner::fit() {
  std::vector<double> expected(table_.pieces.size(), 0);
  co_await each_word([&](double count) { lattice_.add_expectations(count, expected); });
  double total = 0;
  for (const double count : expected) total += count < least_expected ? 0 : count;
  const double log_total = digamma(total);
  lost_score_ = digamma(least_expected) - log_total;
  for (std::size_t i = 0; i < expected.size(); ++i)
    table_.scores[i] = expected[i] < least_expected ? minus_infinity : digamma(expected[i]) - log_total;
}

/// Empty where there is none: then the piece stays. A piece that is better cut is dropped.
Task<> UnigramLearner::find_alternatives() {
  alternatives_.clear();
  begins_.assign(1, 0);
  std::vector<std::uint32_t> path;
  std::vector<std::size_t> better_cut;
  lattice_.begin_pass();
  for (std::size_t i = 0; i < table_.pieces.size(); ++i) {
    if (i % words_a_breath == 0) co_await schedule_.breathe();
    if (table_.is_alive(i)) {
      lattice_.set_word(table_.pieces[i], true);
      lattice_.best_path(path);
      const bool is_known = std::ranges::find(path, PieceLattice::unknown) == path.end();
      if (is_known && !path.empty()) {
        if (lattice_.best_score() > table_.scores[i]) better_cut.push_back(i);
        alternatives_.insert(alternatives_.end(), path.begin(), path.end());
      }
    }
    begins_.push_back(alternatives_.size());
  }
  for (const std::size_t i : better_cut) table_.scores[i] = minus_infinity;
}

/// Drops the pieces of which the likelihood is least worse if the best way without each takes its place.
Task<> UnigramLearner::prune() {
  const std::size_t before = alive_count();
  co_await find_alternatives();
  std::vector<double> counts(table_.pieces.size(), 0);
  std::vector<std::uint32_t> path;
  co_await each_word([&](double count) {
    lattice_.best_path(path);
    for (const std::uint32_t piece : path) {
      if (piece != PieceLattice::unknown) counts[piece] += count;
    }
  });
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0), log_total = std::log(total);
  std::vector<std::pair<double, std::uint32_t>> losses;
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (!table_.is_alive(i)) continue;
    const std::size_t parts = begins_[i + 1] - begins_[i];
    if (counts[i] == 0) {
      table_.scores[i] = minus_infinity;
    } else if (parts == 0) {
      ++kept;
    } else {
      const double log_total_without = std::log(total + counts[i] * double(parts - 1));
      double without = 0;
      for (std::size_t j = begins_[i]; j < begins_[i + 1]; ++j)
        without += std::log(counts[alternatives_[j]] + counts[i]) - log_total_without;
      losses.emplace_back(counts[i] * (std::log(counts[i]) - log_total - without), i);
    }
  }
  const auto target = std::size_t(std::max(spare * double(size_), kept_a_round * double(before)));
  const std::size_t room = std::min(losses.size(), target - std::min(target, kept));
  std::ranges::sort(losses, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (std::size_t i = room; i < losses.size(); ++i) table_.scores[losses[i].second] = minus_infinity;
}

Task<> UnigramLearner::learn() {
  const auto enough = std::size_t(spare * double(size_));
  const double rounds = std::max(0.0, std::ceil(std::log(double(enough) / double(table_.pieces.size())) / std::log(kept_a_round)));
  progress_ = {0, std::uint64_t(rounds * (passes_a_round + 1) + passes_a_round) * words_.size()};
  for (;;) {
    for (int pass = 0; pass < passes_a_round; ++pass) {
      co_await fit();
      drop_dead();
    }
    const std::size_t before = alive_count();
    if (before <= enough) break;
    co_await prune();
    if (alive_count() == before) break;  // all that is left is needed
  }
}

std::vector<LearntPiece> UnigramLearner::finish() const {
  std::vector<LearntPiece> pieces, others;
  double lost_score = lost_score_;
  for (std::size_t i = 0; i < table_.pieces.size(); ++i) {
    if (i >= character_count_) {
      if (table_.is_alive(i)) others.push_back({table_.pieces[i], table_.scores[i]});
    } else if (table_.is_alive(i)) {
      pieces.push_back({table_.pieces[i], table_.scores[i]});
    } else {
      pieces.push_back({table_.pieces[i], lost_score});
      lost_score -= penalty_step;
    }
  }
  const auto by_score = [](const LearntPiece& a, const LearntPiece& b) { return a.score != b.score ? a.score > b.score : a.text < b.text; };
  std::ranges::sort(others, by_score);
  const std::size_t room = size_ - std::min(size_, pieces.size());
  others.resize(std::min(others.size(), room));
  pieces.insert(pieces.end(), others.begin(), others.end());
  std::ranges::sort(pieces, by_score);
  return pieces;
}

}  // namespace

Task<std::vector<LearntPiece>> learn_unigram(const WordCounts& words, const PieceRules& rules, std::size_t size,
                                             TrainingProgress& progress, Schedule& schedule) {
  const Seeds seeds = co_await find_seeds(words, rules, most_seeds, schedule);
  co_await schedule.breathe();
  UnigramLearner learner(words, seeds, size, progress, schedule);
  co_await learner.learn();
  co_return learner.finish();
}

}  // namespace webformer
