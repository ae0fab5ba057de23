#include "text/training/piece_lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/utf8.h"

namespace webformer {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
constexpr double unknown_penalty = 10;

}  // namespace

PieceTable::PieceTable(std::vector<std::string> list) : pieces(std::move(list)), scores(pieces.size(), 0) {
  std::vector<std::pair<std::string_view, std::uint32_t>> keys;
  keys.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) keys.emplace_back(pieces[i], std::uint32_t(i));
  std::ranges::sort(keys);
  trie = DoubleArray::build(keys);
}

bool PieceTable::is_alive(std::size_t piece) const noexcept { return scores[piece] != minus_infinity; }

double PieceTable::unknown_score() const noexcept {
  double least = 0;
  for (const double score : scores) {
    if (score != minus_infinity) least = std::min(least, score);
  }
  return least - unknown_penalty;
}

void PieceLattice::set_word(std::string_view word, bool without_whole) {
  nodes_.clear();
  best_.assign(word.size() + 1, minus_infinity);
  best_node_.resize(word.size() + 1);
  best_[0] = 0;
  const auto add = [&](std::size_t begin, std::size_t end, std::uint32_t piece, double score) {
    if (best_[begin] + score > best_[end]) {
      best_[end] = best_[begin] + score;
      best_node_[end] = std::uint32_t(nodes_.size());
    }
    nodes_.push_back({std::uint32_t(begin), std::uint32_t(end), piece, score});
  };
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t next = begin + utf8_width(word[begin]);
    bool has_character = false;
    auto cursor = table_.trie.begin();
    for (std::size_t i = begin; i < word.size() && cursor.advance(word[i]); ++i) {
      const bool is_whole = begin == 0 && i + 1 == word.size();
      if (!cursor.is_key() || !table_.is_alive(cursor.value()) || (is_whole && without_whole)) continue;
      add(begin, i + 1, cursor.value(), table_.scores[cursor.value()]);
      has_character = has_character || i + 1 == next;
    }
    if (!has_character && !(without_whole && next == word.size() && begin == 0)) add(begin, next, unknown, unknown_score_);
    begin = next;
  }
}

/// The forward-backward algorithm. Each piece counts by how far it is behind the best way to its end, exp(best[begin] + score - best[end]):
/// a whole way has the product of these, its probability over that of the best one, so that long words do not leave the range of a double.
void PieceLattice::add_expectations(double count, std::vector<double>& expected) {
  forward_.assign(best_.size(), 0);
  backward_.assign(best_.size(), 0);
  shares_.resize(nodes_.size());
  forward_.front() = 1;
  backward_.back() = 1;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    shares_[i] = std::exp(best_[node.begin] + node.score - best_[node.end]);
    forward_[node.end] += forward_[node.begin] * shares_[i];
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    const double after = backward_[node.end] * shares_[i];
    backward_[node.begin] += after;
    if (node.piece != unknown) expected[node.piece] += count * forward_[node.begin] * after / forward_.back();
  }
}

void PieceLattice::best_path(std::vector<std::uint32_t>& path) const {
  path.clear();
  if (best_score() == minus_infinity) return;
  for (std::size_t at = best_.size() - 1; at > 0; at = nodes_[best_node_[at]].begin) path.push_back(nodes_[best_node_[at]].piece);
  std::ranges::reverse(path);
}

}  // namespace webformer
