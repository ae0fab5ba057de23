#pragma once
// Texts to the words that a model is trained on: the stages of a tokenizer without its model.

#include <string_view>

#include "text/double_array.h"
#include "text/normalizers.h"
#include "text/pre_tokenizers.h"
#include "text/training/word_counts.h"

namespace webformer {

class TextToWords {
 public:
  /// Throws what NormalizerChain and PreTokenizerChain throw.
  TextToWords(const std::vector<Normalizer>& normalizers, const std::vector<PreTokenizer>& pre_tokenizers);
  /// The chains refer to what they were made with.
  TextToWords(const TextToWords&) = delete;
  TextToWords& operator=(const TextToWords&) = delete;

  void count(std::string_view text, WordCounts& counts) const;

 private:
  DoubleArray no_pieces_;
  NormalizerChain normalizers_;
  PreTokenizerChain pre_tokenizers_;
};

}  // namespace webformer
