#pragma once
// tokenizer_config.json and its neighbours: what surrounds a vocabulary.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/spec.h"

namespace webformer {

struct TokenizerConfig {
  std::string tokenizer_class;  ///< without "Fast"; "" where it is not said
  SpecialTokenNames names;
  std::vector<AddedTokenSpec> added_tokens;  ///< of added_tokens_decoder and added_tokens.json
  std::string chat_template;
  std::string source_language;  ///< M2M100: of texts where nobody says; "" where it is not said
  std::optional<std::uint64_t> model_max_length;
  std::optional<bool> do_lower_case, strip_accents, tokenize_chinese_chars, add_prefix_space, add_bos_token, add_eos_token;
  bool clean_up_tokenization_spaces = false;
  bool clean_up_for_bpe = false;  ///< which transformers leaves out otherwise
};

/// From tokenizer_config.json, special_tokens_map.json, added_tokens.json and chat_template.jinja, as far as they are there.
TokenizerConfig read_tokenizer_config(const std::map<std::string, std::string_view>& files);

/// The names, template and tokens of `config` to `spec`, and the begin and end tokens that it asks for.
void apply_tokenizer_config(const TokenizerConfig& config, TokenizerSpec& spec);

}  // namespace webformer
