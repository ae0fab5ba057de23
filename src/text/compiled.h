#pragma once
// What a Tokenizer is made of: the tables and stages that all its copies share.

#include <variant>

#include "text/added_vocabulary.h"
#include "text/bpe_model.h"
#include "text/decoders.h"
#include "text/normalizers.h"
#include "text/post_processors.h"
#include "text/pre_tokenizers.h"
#include "text/sentencepiece_model.h"
#include "text/text.h"
#include "text/unigram_model.h"
#include "text/word_models.h"
#include "text/words.h"

namespace webformer {

using Model = std::variant<BpeModel, WordPieceModel, WordLevelModel, UnigramModel, SentencePieceModel>;

struct CompiledTokenizer {
  TokenizerSpec spec;  ///< without its model and added tokens
  Model model;
  bool words_are_bytes = false;  ///< ByteLevel at the end of the pre-tokenizers, and a model that takes raw bytes

  NormalizerChain normalizers;
  PreTokenizerChain pre_tokenizers;
  PostProcessorChain post_processors;
  DecoderChain decoders;

  /// The stages anew from `spec`.
  void build_stages();
  const Vocabulary& vocabulary() const {
    return std::visit([](const auto& one) -> const Vocabulary& { return one.vocabulary(); }, model);
  }
  const SentencePieceModel* sentencepiece() const { return std::get_if<SentencePieceModel>(&model); }
  void tokenize(std::string_view word, std::uint32_t begin, ModelTokens& tokens) const {
    std::visit([&](const auto& one) { one.tokenize(word, begin, tokens); }, model);
  }
};

/// Text made well-formed: the one place where malformed bytes become U+FFFD.
struct WellFormed {
  WellFormed(std::string_view text, const CompiledTokenizer& compiled);
  std::optional<std::string> repaired;
  std::string_view text;
  std::vector<std::uint32_t> malformed;  ///< where the U+FFFD of malformed bytes are, for SentencePiece
};

/// The text normalized and cut into words and added tokens.
Words make_words(const WellFormed& text, const CompiledTokenizer& compiled, const AddedVocabulary& added);
bool ends_in_byte_level(const std::vector<PreTokenizer>& pre_tokenizers);

}  // namespace webformer
