#pragma once
// The tokenizer in a GGUF file's metadata: tokenizer.ggml.*
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md#tokenizer

#include <string_view>

#include "formats/metadata.h"
#include "text/spec.h"

namespace webformer {

/// Throws invalid_file where the arrays do not fit together, and unsupported_model for kinds of tokenizers and word patterns that are not
/// known, naming them and what is.
TokenizerSpec read_gguf_tokenizer(const Metadata& metadata, std::string_view file);

}  // namespace webformer
