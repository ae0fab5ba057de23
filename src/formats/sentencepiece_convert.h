#pragma once
// A SentencePiece model in the terms of tokenizers, as transformers converts it.
// https://github.com/huggingface/transformers/blob/main/src/transformers/convert_slow_tokenizer.py

#include "text/spec.h"

namespace webformer {

/// `spec.model` is a SentencePieceSpec. What tokenizers has no word for comes as near as it can: a charsmap is applied by its shortest
/// entries, pieces of equal score are ranked, and pieces that are never to be made are made. Throws unsupported_model for word and
/// character models.
TokenizerSpec convert_sentencepiece(const TokenizerSpec& spec);

}  // namespace webformer
