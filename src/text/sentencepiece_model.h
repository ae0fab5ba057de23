#pragma once
// A bare SentencePiece model. https://github.com/google/sentencepiece, src/{unigram,bpe,word,char}_model.cc

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/double_array.h"
#include "text/join_filter.h"
#include "text/model_token.h"
#include "text/spec.h"
#include "text/vocabulary.h"
#include "text/word_cache.h"

namespace webformer {

class SentencePieceModel {
 public:
  SentencePieceModel() = default;
  SentencePieceModel(SentencePieceSpec spec, std::string_view source);
  /// `text` is normalized. Neighbouring unknown pieces are one token, or one for each byte: then only the last has a range.
  void tokenize(std::string_view text, std::uint32_t begin, ModelTokens& tokens) const { score(text, begin, tokens); }
  /// The same; returns the log-probability, for a unigram model.
  double score(std::string_view text, std::uint32_t begin, ModelTokens& tokens) const;
  SentencePieceSpec spec() const;
  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }
  SentencePieceSpec::Algorithm algorithm() const noexcept { return algorithm_; }
  SentencePieceSpec::Type type(std::int32_t id) const noexcept {
    return id >= 0 && std::size_t(id) < types_.size() ? types_[std::size_t(id)] : SentencePieceSpec::Type::unknown;
  }
  const DoubleArray& user_defined() const noexcept { return user_defined_; }

  template <class Archive>
  friend void transfer(Archive& archive, SentencePieceModel& it) {
    archive(it.algorithm_, it.vocabulary_, it.unnumbered_, it.scores_, it.types_, it.byte_fallback_, it.unknown_id_, it.unknown_score_,
            it.longest_piece_, it.byte_ids_, it.lattice_scores_, it.pieces_.units(), it.user_defined_.units(), it.joins_);
    if constexpr (Archive::is_reading) it.check();
  }

 private:
  using Type = SentencePieceSpec::Type;
  struct Piece {
    std::int32_t id;
    std::uint32_t begin, end;
  };

  void check() const;
  std::int32_t count() const noexcept { return vocabulary_.end() + unnumbered_.end(); }
  /// Of an index, which is the id where it is below vocabulary_.end().
  std::string_view piece(std::int32_t index) const noexcept {
    return index < vocabulary_.end() ? vocabulary_.token(index) : unnumbered_.token(index - vocabulary_.end());
  }
  std::optional<std::int32_t> index_of(std::string_view piece) const noexcept;
  void find_joins();
  static void fuse_unknown(ModelTokens& tokens);
  void add_tokens(std::string_view text, std::uint32_t begin, const std::vector<Piece>& pieces, ModelTokens& tokens) const;
  /// The piece of that text that words may become: normal, user-defined or unused; -1 where there is none.
  std::int32_t find(std::string_view text) const noexcept;
  double split_by_unigram(std::string_view text, std::vector<Piece>& pieces) const;
  void split_by_bpe(std::string_view text, std::vector<Piece>& pieces) const;
  void split_by_words(std::string_view text, std::vector<Piece>& pieces) const;
  void split_by_characters(std::string_view text, std::vector<Piece>& pieces) const;
  std::size_t prefix(std::string_view text, bool& is_user_defined) const noexcept;

  SentencePieceSpec::Algorithm algorithm_ = SentencePieceSpec::Algorithm::unigram;
  Vocabulary vocabulary_, unnumbered_;
  std::vector<float> scores_;  // of both
  std::vector<Type> types_;
  bool byte_fallback_ = false;
  std::int32_t unknown_id_ = -1;
  float unknown_score_ = 0;
  std::uint32_t longest_piece_ = 0;  // bytes
  std::array<std::int32_t, 256> byte_ids_{};
  std::vector<float> lattice_scores_;  // user-defined pieces get a bonus, so that they are always taken
  DoubleArray pieces_, user_defined_;
  JoinFilter joins_;  // of BPE
  mutable WordCache cache_;
};

}  // namespace webformer
