#pragma once
// The models that look whole words up: WordLevel, and WordPiece with its longest pieces first (Schuster and Nakajima 2012).

#include <cstdint>
#include <string_view>

#include "text/double_array.h"
#include "text/model_token.h"
#include "text/spec.h"
#include "text/vocabulary.h"

namespace webformer {

class WordLevelModel {
 public:
  WordLevelModel() = default;
  WordLevelModel(const WordLevelSpec& spec, std::string_view source);
  /// A word that is not known becomes the unknown token; nothing where there is none.
  void tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const;
  WordLevelSpec spec() const { return {vocabulary_.spec(), unknown_token_}; }
  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }

  template <class Archive>
  friend void transfer(Archive& archive, WordLevelModel& it) {
    archive(it.vocabulary_, it.unknown_token_, it.unknown_id_);
  }

 private:
  Vocabulary vocabulary_;
  std::string unknown_token_;
  std::int32_t unknown_id_ = -1;
};

class WordPieceModel {
 public:
  WordPieceModel() = default;
  WordPieceModel(const WordPieceSpec& spec, std::string_view source);
  /// A word of too many characters, or with one piece that is not known, becomes one unknown token.
  void tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const;
  WordPieceSpec spec() const { return {vocabulary_.spec(), unknown_token_, continuing_prefix_, max_characters_}; }
  const Vocabulary& vocabulary() const noexcept { return vocabulary_; }

  template <class Archive>
  friend void transfer(Archive& archive, WordPieceModel& it) {
    archive(it.vocabulary_, it.unknown_token_, it.unknown_id_, it.continuing_prefix_, it.max_characters_, it.first_pieces_.units(),
            it.later_pieces_.units());
  }

 private:
  Vocabulary vocabulary_;
  std::string unknown_token_, continuing_prefix_;
  std::int32_t unknown_id_ = -1;
  std::uint32_t max_characters_ = 100;
  DoubleArray first_pieces_, later_pieces_;  // of the beginning of a word; of its rest, without the prefix
};

}  // namespace webformer
