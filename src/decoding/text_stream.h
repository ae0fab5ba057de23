#pragma once
// Ids to text while they come. The one place where decoding meets the tokenizer.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "text/text.h"

namespace webformer {

/// Gives the text of ids in whole characters as they come. Without a tokenizer, no text. Copies go on independently.
class TextStream {
 public:
  /// `before`: ids that stand before the first one and shape its text (a space in front of it), but are no part of it.
  TextStream(const Tokenizer* tokenizer, std::span<const std::int32_t> before, bool skip_special_tokens);

  std::string push(std::span<const std::int32_t> ids);
  /// What is left, an incomplete character as U+FFFD.
  std::string end();

 private:
  std::optional<DecodeStream> stream_;
};

/// The vocabulary's entry, "" without a tokenizer.
std::string token_text(const Tokenizer* tokenizer, std::int32_t id);

}  // namespace webformer
