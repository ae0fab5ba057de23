#pragma once
// The unigram language model (Kudo 2018, https://arxiv.org/abs/1804.10959): the pieces whose log-probabilities have the greatest sum.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/double_array.h"
#include "text/model_token.h"
#include "text/spec.h"
#include "text/vocabulary.h"

namespace webformer {

/// The best way through a text by pieces of a trie. Number is what the reference computes in: double in tokenizers, float in SentencePiece.
template <class Number>
class PieceLattice {
 public:
  struct Step {
    std::int32_t id;  ///< -1: unknown
    std::uint32_t begin, end;
  };
  /// `scores` by piece id. A character that is no piece is unknown, with `unknown_score`. Of ways with one sum the one found first stays,
  /// whose last piece begins earlier. Linear in the text. Returns the sum.
  static double best_path(std::string_view text, const DoubleArray& pieces, const std::vector<Number>& scores, Number unknown_score,
                          std::vector<Step>& path);
};

class UnigramModel {
 public:
  UnigramModel() = default;
  UnigramModel(const UnigramSpec& spec, std::string_view source);
  /// Neighbouring unknown characters are one token, or one for each of their bytes where the file says so.
  void tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const { score(word, begin, tokens); }
  /// The same; returns the log-probability.
  double score(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const;
  UnigramSpec spec() const;
  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }

  template <class Archive>
  friend void transfer(Archive& archive, UnigramModel& it) {
    archive(it.vocabulary_, it.scores_, it.unknown_score_, it.unknown_id_, it.byte_fallback_, it.byte_ids_, it.pieces_.units());
    if constexpr (Archive::is_reading) it.check();
  }

 private:
  void check() const;
  void add_unknown(std::string_view text, std::uint32_t begin, ModelTokens& tokens) const;

  Vocabulary vocabulary_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  std::int32_t unknown_id_ = -1;
  bool byte_fallback_ = false;
  std::array<std::int32_t, 256> byte_ids_{};
  DoubleArray pieces_;
};

}  // namespace webformer
