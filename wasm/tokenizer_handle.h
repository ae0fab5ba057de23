#pragma once
// A tokenizer as JavaScript holds it.

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "text/text.h"

namespace webformer {

/// Ids and texts are checked in JavaScript; texts arrive through Staging, as lengths of consecutive pieces.
class TokenizerHandle {
 public:
  explicit TokenizerHandle(std::shared_ptr<Tokenizer> tokenizer) : tokenizer_(std::move(tokenizer)) {}

  const std::shared_ptr<Tokenizer>& tokenizer() const noexcept { return tokenizer_; }

  /// {kind, vocabSize, special, chatTemplate, modelMaxLength, names}
  emscripten::val info() const;
  /// lengths: of text, pair, text, pair, …; -1 where there is no pair. options: EncodeOptions as JSON, "" for none.
  /// Returns {ints, surfaces}: see write_encoding in tokenizer_handle.cpp.
  emscripten::val encode(emscripten::val lengths, bool add_special_tokens, std::string options) const;
  emscripten::val decode(emscripten::val ids, bool skip_special_tokens) const;
  emscripten::val decode_tokens(emscripten::val tokens) const;
  emscripten::val decode_stream(bool skip_special_tokens) const;
  /// The id of the staged text, -1 where it is no token.
  emscripten::val id_of(std::size_t length) const;
  /// null where the id has no token.
  emscripten::val token_of(int id) const;
  /// tokens: a JSON list of AddedToken.
  emscripten::val add_tokens(std::string tokens);
  emscripten::val trace(std::size_t length) const;
  emscripten::val save() const;
  emscripten::val pack() const;

 private:
  std::shared_ptr<Tokenizer> tokenizer_;
};

class DecodeStreamHandle {
 public:
  explicit DecodeStreamHandle(DecodeStream stream) : stream_(std::move(stream)) {}
  emscripten::val push(emscripten::val ids);
  emscripten::val end();

 private:
  DecodeStream stream_;
};

}  // namespace webformer
