#pragma once
// Tokenizers of before tokenizer.json: a list of tokens, and the rest by convention of the class.

#include <string_view>

#include "formats/tokenizer_config.h"
#include "text/spec.h"

namespace webformer {

/// vocab.txt, a token a line: BERT's WordPiece.
TokenizerSpec read_wordpiece_files(std::string_view vocabulary, const TokenizerConfig& config);
/// vocab.json and merges.txt: byte-level BPE as in GPT-2, RoBERTa or CLIP, by the config's class.
TokenizerSpec read_bpe_files(std::string_view vocabulary, std::string_view merges, const TokenizerConfig& config);

}  // namespace webformer
