#pragma once
// The files of a tokenizer, as a checkpoint folder has them, to a TokenizerSpec.

#include <map>
#include <string>
#include <string_view>

#include "text/spec.h"

namespace webformer {

/// `files`: contents by name (a path's last part). It takes tokenizer.json, else vocab.txt, else vocab.json + merges.txt, else a
/// SentencePiece model (*.model, then *.spm), whose ids a vocab.json beside it gives (Marian, M2M100). tokenizer_config.json,
/// special_tokens_map.json, added_tokens.json and chat_template.jinja are honoured beside each. Other names are not looked at.
/// Throws invalid_file, naming file and place, and unsupported_model for stages that are not built, naming them and what is.
TokenizerSpec read_tokenizer(const std::map<std::string, std::string_view>& files);

/// For a model whose target side has a vocabulary of its own (Marian: target.spm, with target_vocab.json where that has other
/// ids): the tokenizer for that side. Nothing is different from read_tokenizer() where there is no target.spm.
TokenizerSpec read_target_tokenizer(const std::map<std::string, std::string_view>& files);

/// tokenizer.json, as tokenizers writes it. A bare SentencePiece model is written as transformers converts it.
std::string write_tokenizer_json(const TokenizerSpec& spec);

}  // namespace webformer
