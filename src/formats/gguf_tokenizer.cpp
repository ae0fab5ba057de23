#include "formats/gguf_tokenizer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/tokenizer_config.h"

namespace webformer {
namespace {

enum TokenType : std::int64_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

constexpr std::string_view llama3_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4o_pattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekken_pattern = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
                                            R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
                                            R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view deepseek3_pattern = R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
                                               R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

PreTokenizer by_pattern(std::string_view pattern) {
  return SplitPreTokenizer{{std::string(pattern), true}, SplitBehavior::isolated, false};
}

/// tokenizer.ggml.pre: how the text is cut into words before byte-level BPE.
void add_words(std::string_view pre, std::string_view file, TokenizerSpec& spec) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) { return std::ranges::find(names, pre) != names.end(); };
  if (is_one_of({"default", "gpt-2", "gpt2", "phi-2", "mpt", "olmo", "jais", "roberta-bpe", "gigachat", "exaone"})) {
    spec.pre_tokenizers = {ByteLevelPreTokenizer{false, true}};
    return;
  }
  if (is_one_of({"smollm", "starcoder", "refact", "command-r", "codeshell"})) {
    spec.pre_tokenizers = {DigitsPreTokenizer{true}, ByteLevelPreTokenizer{false, true}};
    return;
  }
  if (is_one_of({"llama-bpe", "llama3", "llama-v3", "dbrx", "smaug-bpe"})) {
    spec.pre_tokenizers = {by_pattern(llama3_pattern)};
  } else if (is_one_of({"qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan"})) {
    if (pre != "stablelm2") spec.normalizers = {NormalForm{NormalForm::Kind::nfc}};
    spec.pre_tokenizers = {by_pattern(qwen2_pattern)};
  } else if (is_one_of({"gpt-4o", "llama4"})) {
    spec.pre_tokenizers = {by_pattern(gpt4o_pattern)};
  } else if (is_one_of({"tekken"})) {
    spec.pre_tokenizers = {by_pattern(tekken_pattern)};
  } else if (is_one_of({"deepseek-v3"})) {
    spec.pre_tokenizers = {by_pattern(R"(\p{N}{1,3})"), by_pattern("[一-龥぀-ゟ゠-ヿ]+"), by_pattern(deepseek3_pattern)};
  } else {
    throw Error(Code::unsupported_model,
                "{}: tokenizer.ggml.pre is \"{}\"; supported are default, gpt-2, smollm, starcoder, refact, command-r, llama-bpe, "
                "qwen2, stablelm2, gpt-4o, tekken, deepseek-v3",
                file, pre)
        .with("type", pre);
  }
  spec.pre_tokenizers.push_back(ByteLevelPreTokenizer{false, false});
}

class MetadataReader {
 public:
  MetadataReader(const Metadata& metadata, std::string_view file) : metadata_(metadata), file_(file) {}

  TokenizerSpec read() {
    spec_.source = file_;
    const auto* model = find<std::string>("model");
    if (!model) throw Error(Code::invalid_file, "{}: no tokenizer.ggml.model", file_);
    tokens_ = find<std::vector<std::string>>("tokens");
    if (!tokens_ || tokens_->empty()) throw Error(Code::invalid_file, "{}: no tokenizer.ggml.tokens", file_);
    for (const std::string& token : *tokens_) check_text(token, "tokens");
    types_ = array<std::int64_t>("token_type");
    if (*model == "gpt2") read_bpe();
    else if (*model == "llama" || *model == "t5") read_pieces(*model == "llama");
    else
      throw Error(Code::unsupported_model, "{}: tokenizer.ggml.model is \"{}\"; supported are gpt2, llama, t5", file_, *model)
          .with("type", *model);
    add_special_tokens();
    TokenizerConfig config;
    if (const auto* text = metadata_.find<std::string>("tokenizer.chat_template")) config.chat_template = *text;
    read_names(config.names);
    config.add_bos_token = flag("add_bos_token", *model == "llama");
    config.add_eos_token = flag("add_eos_token", *model == "t5");
    apply_tokenizer_config(config, spec_);
    return std::move(spec_);
  }

 private:
  template <class Value>
  const Value* find(const std::string& name) const {
    return metadata_.find<Value>("tokenizer.ggml." + name);
  }
  bool flag(const std::string& name, bool otherwise) const {
    const auto* value = find<bool>(name);
    return value ? *value : otherwise;
  }
  /// One entry a token, or none at all.
  template <class Value>
  const std::vector<Value>* array(const std::string& name) const {
    const auto* values = find<std::vector<Value>>(name);
    if (values && values->size() != tokens_->size()) {
      throw Error(Code::invalid_file, "{}: tokenizer.ggml.{} has {} entries, {} expected, the number of tokens", file_, name,
                  values->size(), tokens_->size());
    }
    return values;
  }
  void check_text(const std::string& text, std::string_view name) const {
    if (repair_utf8(text)) throw Error(Code::invalid_file, "{}: an entry of tokenizer.ggml.{} is not UTF-8", file_, name);
  }
  std::int64_t type(std::size_t token) const { return types_ ? (*types_)[token] : std::int64_t(normal); }

  void read_bpe() {
    const auto* pre = find<std::string>("pre");
    add_words(pre ? std::string_view(*pre) : "default", file_, spec_);
    BpeSpec model;
    for (std::size_t i = 0; i < tokens_->size(); ++i) {
      model.vocabulary.tokens.push_back((*tokens_)[i]);
      model.vocabulary.ids.push_back(std::int32_t(i));
    }
    const auto* merges = find<std::vector<std::string>>("merges");
    if (!merges) throw Error(Code::invalid_file, "{}: no tokenizer.ggml.merges", file_);
    for (const std::string& merge : *merges) {
      check_text(merge, "merges");
      const std::size_t space = merge.find(' ', 1);
      if (space == std::string::npos || space + 1 == merge.size()) {
        throw Error(Code::invalid_file, "{}: tokenizer.ggml.merges has \"{}\", two tokens with a space between them expected", file_,
                    merge);
      }
      model.merges.push_back(std::string_view(merge).substr(0, space));
      model.merges.push_back(std::string_view(merge).substr(space + 1));
    }
    model.ignore_merges = pre && (*pre == "llama-bpe" || *pre == "llama3" || *pre == "llama-v3");
    spec_.model = std::move(model);
    spec_.decoders = {ByteLevelDecoder()};
  }

  void read_pieces(bool is_bpe) {
    SentencePieceSpec model;
    model.algorithm = is_bpe ? SentencePieceSpec::Algorithm::bpe : SentencePieceSpec::Algorithm::unigram;
    const auto* scores = array<double>("scores");
    if (!scores) throw Error(Code::invalid_file, "{}: no tokenizer.ggml.scores", file_);
    for (std::size_t i = 0; i < tokens_->size(); ++i) {
      if (type(i) < normal || type(i) > byte)
        throw Error(Code::invalid_file, "{}: tokenizer.ggml.token_type[{}] is {}, 1 to 6 expected", file_, i, type(i));
      model.pieces.push_back((*tokens_)[i]);
      model.scores.push_back(float((*scores)[i]));
      model.types.push_back(SentencePieceSpec::Type(type(i)));
      model.byte_fallback = model.byte_fallback || type(i) == byte;
    }
    SentencePieceNormalizer normalizer;
    normalizer.add_dummy_prefix = flag("add_space_prefix", true);
    normalizer.remove_extra_whitespaces = flag("remove_extra_whitespaces", !is_bpe);
    if (const auto* map = find<std::vector<std::int64_t>>("precompiled_charsmap")) {
      for (const std::int64_t value : *map) normalizer.charsmap.push_back(static_cast<char>(value));
    }
    SentencePieceDecoder decoder;
    decoder.add_dummy_prefix = normalizer.add_dummy_prefix;
    decoder.remove_extra_whitespaces = normalizer.remove_extra_whitespaces;
    spec_.normalizers.emplace_back(std::move(normalizer));
    spec_.decoders.emplace_back(std::move(decoder));
    spec_.model = std::move(model);
  }

  /// Unlike in a bare SentencePiece model, control tokens are looked for in the text: chat templates write them.
  void add_special_tokens() {
    for (std::size_t i = 0; i < tokens_->size(); ++i) {
      const bool is_piece_type = std::holds_alternative<SentencePieceSpec>(spec_.model) && type(i) == user_defined;
      if ((type(i) != control && type(i) != user_defined) || is_piece_type) continue;
      spec_.added_tokens.push_back({{(*tokens_)[i], type(i) == control, false, false, false, false}, std::int32_t(i)});
    }
  }

  void read_names(SpecialTokenNames& names) const {
    const std::pair<const char*, std::string*> ids[]{{"bos_token_id", &names.bos},     {"eos_token_id", &names.eos},
                                                     {"unknown_token_id", &names.unk}, {"seperator_token_id", &names.sep},
                                                     {"padding_token_id", &names.pad}, {"cls_token_id", &names.cls},
                                                     {"mask_token_id", &names.mask}};
    for (const auto& [name, text] : ids) {
      const auto* id = find<std::int64_t>(name);
      if (!id) continue;
      if (*id < 0 || std::size_t(*id) >= tokens_->size()) {
        throw Error(Code::invalid_file, "{}: tokenizer.ggml.{} is {}, 0 to {} expected", file_, name, *id, tokens_->size() - 1);
      }
      *text = (*tokens_)[std::size_t(*id)];
    }
  }

  const Metadata& metadata_;
  std::string_view file_;
  const std::vector<std::string>* tokens_ = nullptr;
  const std::vector<std::int64_t>* types_ = nullptr;
  TokenizerSpec spec_;
};

}  // namespace

TokenizerSpec read_gguf_tokenizer(const Metadata& metadata, std::string_view file) { return MetadataReader(metadata, file).read(); }

}  // namespace webformer
