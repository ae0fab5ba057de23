#pragma once
// All ways to cut a word into the pieces of a unigram model. https://arxiv.org/abs/1804.10959, section 3.2

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/double_array.h"

namespace webformer {

/// Pieces and their log-probabilities. Pieces that are dropped stay in the trie, with a score of -infinity.
struct PieceTable {
  std::vector<std::string> pieces;
  std::vector<double> scores;
  DoubleArray trie;  ///< the values are indices of `pieces`

  explicit PieceTable(std::vector<std::string> list);
  bool is_alive(std::size_t piece) const noexcept;
  /// Of a character that no piece stands for: ten below the least score.
  double unknown_score() const noexcept;
};

/// The lattice of one word at a time.
class PieceLattice {
 public:
  static constexpr std::uint32_t unknown = ~0u;
  /// Of a word, in characters: it has no more than 2^511 ways to be cut, which a double can count.
  static constexpr std::size_t longest_word = 512;

  /// `table` must outlive it; begin_pass() is called when its scores have changed.
  explicit PieceLattice(const PieceTable& table) : table_(table) { begin_pass(); }
  void begin_pass() { unknown_score_ = table_.unknown_score(); }
  /// Anew for a word of at most longest_word characters. `without_whole`: not cut at all is no way to cut it.
  void set_word(std::string_view word, bool without_whole = false);

  /// Adds `count` times the expected number of each piece to `expected`.
  void add_expectations(double count, std::vector<double>& expected);
  /// The pieces of the best way, from left to right, `unknown` for characters without one; empty where there is no way.
  void best_path(std::vector<std::uint32_t>& path) const;
  /// Its log-probability.
  double best_score() const noexcept { return best_.back(); }

 private:
  struct Node {
    std::uint32_t begin, end;  ///< of the piece, in bytes
    std::uint32_t piece;
    double score;
  };

  const PieceTable& table_;
  double unknown_score_ = 0;
  std::vector<Node> nodes_;                // by where they begin
  std::vector<double> best_;               // of the ways to each byte
  std::vector<std::uint32_t> best_node_;   // the last of these
  std::vector<double> forward_, backward_, shares_;
};

}  // namespace webformer
