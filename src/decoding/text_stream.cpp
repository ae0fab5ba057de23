#include "decoding/text_stream.h"

namespace webformer {

TextStream::TextStream(const Tokenizer* tokenizer, std::span<const std::int32_t> before, bool skip_special_tokens) {
  if (!tokenizer) return;
  stream_.emplace(*tokenizer, skip_special_tokens);
  stream_->push(before);
}

std::string TextStream::push(std::span<const std::int32_t> ids) { return stream_ ? stream_->push(ids) : std::string(); }

std::string TextStream::end() { return stream_ ? stream_->end() : std::string(); }

std::string token_text(const Tokenizer* tokenizer, std::int32_t id) {
  return tokenizer ? std::string(tokenizer->token_of(id)) : std::string();
}

}  // namespace webformer
