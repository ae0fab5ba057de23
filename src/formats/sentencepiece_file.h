#pragma once
// SentencePiece's .model files: a protobuf message.
// https://github.com/google/sentencepiece/blob/master/src/sentencepiece_model.proto

#include <string_view>

#include "text/spec.h"

namespace webformer {

/// The normalizer, the pieces and the decoder, and the names of the special pieces; nothing is put around a text.
/// Throws invalid_file for what is no such message, and unsupported_model for what it may say that is not built.
TokenizerSpec read_sentencepiece_file(std::string_view bytes, std::string_view file);

}  // namespace webformer
