#pragma once
// SentencePiece models whose ids are in a file of their own: Marian and M2M100 have a vocab.json beside theirs.

#include <string_view>

#include "formats/tokenizer_config.h"
#include "text/spec.h"

namespace webformer {

/// Gives the pieces of `spec`, a SentencePiece model, the ids of vocab.json. Pieces that it lacks are still found in texts, and are the
/// unknown token; tokens that the model lacks are decoded, but never found: they are those of the other language. Names, special tokens and
/// what is put around a text are set by the convention of the class. Throws invalid_file.
void number_pieces(TokenizerSpec& spec, std::string_view vocabulary, const TokenizerConfig& config);

}  // namespace webformer
