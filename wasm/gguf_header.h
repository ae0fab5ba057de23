#pragma once
// The tokenizer of a GGUF file without its weights: reading stops where the tensors begin.

#include <emscripten/val.h>

#include <memory>
#include <string>

#include "formats/tensor_stream.h"
#include "text/text.h"

namespace webformer {

bool has_gguf_tokenizer(const Metadata& metadata) noexcept;

class GgufHeader {
 public:
  GgufHeader(std::string name, double size);
  GgufHeader(const GgufHeader&) = delete;  // the stream refers to it

  /// Takes the staged bytes; true once the tokenizer is there and the rest need not be read.
  emscripten::val push(std::size_t length);
  /// The tokenizer. Throws invalid_file where the file has none.
  emscripten::val tokenizer() const;

 private:
  std::string name_;
  std::shared_ptr<Tokenizer> tokenizer_;
  TensorStream stream_;
};

}  // namespace webformer
