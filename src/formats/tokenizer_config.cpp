#include "formats/tokenizer_config.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/error.h"
#include "formats/json.h"
#include "formats/tokenizer_json.h"

namespace webformer {
namespace {

constexpr double no_length_limit = 1e15;  // transformers writes 10^30 for "none"

/// A token is written as its text, or as an object with how it is found.
std::string token_content(Json json) {
  if (json.is_null()) return {};
  return std::string(json.is_object() ? json["content"].get_string() : json.get_string());
}

void read_names(Json json, SpecialTokenNames& names) {
  const std::pair<std::string_view, std::string*> members[]{
      {"bos_token", &names.bos}, {"eos_token", &names.eos}, {"unk_token", &names.unk},  {"sep_token", &names.sep},
      {"pad_token", &names.pad}, {"cls_token", &names.cls}, {"mask_token", &names.mask}};
  for (const auto& [member, name] : members) {
    if (json.has(member)) *name = token_content(json[member]);
  }
  if (const Json additional = json["additional_special_tokens"]; additional.is_array()) {
    names.additional.clear();
    for (const Json& token : additional.items()) names.additional.push_back(token_content(token));
  }
}

/// One template, or several with names, of which "default" is meant for chats.
std::string read_chat_template(Json json) {
  if (!json.is_array()) return json.is_null() ? std::string() : std::string(json.get_string());
  for (const Json& one : json.items()) {
    if (one["name"].get_string() == "default") return std::string(one["template"].get_string());
  }
  return {};
}

AddedTokenSpec read_added_token(std::string_view id, Json json) {
  AddedTokenSpec token;
  token.content = json["content"].get_string();
  token.special = json.get_or("special", false);
  token.lstrip = json.get_or("lstrip", false);
  token.rstrip = json.get_or("rstrip", false);
  token.single_word = json.get_or("single_word", false);
  token.normalized = json.get_or("normalized", !token.special);
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), token.id);
  if (error != std::errc() || end != id.data() + id.size() || token.id < 0) {
    throw Error(Code::invalid_file, "{}: {} has the name \"{}\", an id from 0 to 2147483647 expected", json.file(), json.path(), id);
  }
  return token;
}

void read_main(Json json, TokenizerConfig& config) {
  config.tokenizer_class = json.get_or("tokenizer_class", "");
  if (config.tokenizer_class.ends_with("Fast")) config.tokenizer_class.resize(config.tokenizer_class.size() - 4);
  read_names(json, config.names);
  config.chat_template = read_chat_template(json["chat_template"]);
  if (json.has("model_max_length")) {
    const double length = json["model_max_length"].get_number();
    if (length > 0 && length < no_length_limit) config.model_max_length = std::uint64_t(length);
  }
  const auto flag = [&](std::string_view name) { return json.has(name) ? std::optional(json[name].get_bool()) : std::nullopt; };
  if (const Json language = json["src_lang"]; language.is_string()) config.source_language = language.get_string();
  config.do_lower_case = flag("do_lower_case");
  config.strip_accents = flag("strip_accents");
  config.tokenize_chinese_chars = flag("tokenize_chinese_chars");
  config.add_prefix_space = flag("add_prefix_space");
  config.add_bos_token = flag("add_bos_token");
  config.add_eos_token = flag("add_eos_token");
  config.clean_up_tokenization_spaces = json.get_or("clean_up_tokenization_spaces", false);
  config.clean_up_for_bpe = json.get_or("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output", false);
  if (json.has("added_tokens_decoder")) {
    for (const auto& [id, token] : json["added_tokens_decoder"].members()) config.added_tokens.push_back(read_added_token(id, token));
  }
}

std::optional<std::string_view> find(const std::map<std::string, std::string_view>& files, const char* name) {
  const auto file = files.find(name);
  return file == files.end() ? std::nullopt : std::optional(file->second);
}

std::optional<std::int32_t> id_of(const TokenizerSpec& spec, std::string_view token) {
  for (const AddedTokenSpec& added : spec.added_tokens) {
    if (added.content == token) return added.id;
  }
  const auto in = [&](const StringPool& tokens, const std::vector<std::int32_t>* ids) -> std::optional<std::int32_t> {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] == token) return ids ? (*ids)[i] : std::int32_t(i);
    }
    return std::nullopt;
  };
  return std::visit(
      [&](const auto& model) {
        if constexpr (requires { model.vocabulary; }) return in(model.vocabulary.tokens, &model.vocabulary.ids);
        else return in(model.pieces, nullptr);
      },
      spec.model);
}

/// Makes the template put `token` before (or after) each text, or not.
void set_border_token(TokenizerSpec& spec, const std::string& token, bool at_begin, bool wanted) {
  using Kind = TemplatePiece::Kind;
  const auto id = id_of(spec, token);
  if (token.empty() || !id) return;
  auto found = std::ranges::find_if(spec.post_processors,
                                    [](const PostProcessor& one) { return !std::holds_alternative<ByteLevelProcessing>(one); });
  if (found != spec.post_processors.end() && !std::holds_alternative<TemplateProcessing>(*found))
    return;  // BERT's and RoBERTa's have their own
  if (found == spec.post_processors.end()) {
    if (!wanted) return;
    spec.post_processors.emplace_back(TemplateProcessing{{{Kind::first, 0, 0}}, {{Kind::first, 0, 0}, {Kind::second, 1, 0}}, {}});
    found = spec.post_processors.end() - 1;
  }
  auto& processing = std::get<TemplateProcessing>(*found);
  const auto is_token = [&](const TemplatePiece& piece) {
    return piece.kind == Kind::special && processing.special_tokens[piece.special].text == token;
  };
  for (auto* pieces : {&processing.single, &processing.pair}) {
    for (std::size_t i = 0; i < pieces->size(); ++i) {
      if ((*pieces)[i].kind == Kind::special) continue;
      const bool is_there = at_begin ? i > 0 && is_token((*pieces)[i - 1]) : i + 1 < pieces->size() && is_token((*pieces)[i + 1]);
      if (is_there == wanted) continue;
      if (!wanted) {
        pieces->erase(pieces->begin() + std::ptrdiff_t(at_begin ? i - 1 : i + 1));
        i -= at_begin;
        continue;
      }
      auto known = std::ranges::find(processing.special_tokens, token, &TemplateToken::text);
      if (known == processing.special_tokens.end()) {
        processing.special_tokens.push_back({token, {*id}, {token}});
        known = processing.special_tokens.end() - 1;
      }
      const TemplatePiece piece{Kind::special, (*pieces)[i].type_id, std::uint32_t(known - processing.special_tokens.begin())};
      pieces->insert(pieces->begin() + std::ptrdiff_t(at_begin ? i : i + 1), piece);
      ++i;
    }
  }
}

void fill_in(SpecialTokenNames& names, const SpecialTokenNames& more) {
  for (const auto member : {&SpecialTokenNames::bos, &SpecialTokenNames::eos, &SpecialTokenNames::unk, &SpecialTokenNames::sep,
                            &SpecialTokenNames::pad, &SpecialTokenNames::cls, &SpecialTokenNames::mask}) {
    if (!(more.*member).empty()) names.*member = more.*member;
  }
  if (!more.additional.empty()) names.additional = more.additional;
}

bool is_bpe(const TokenModel& model) {
  const auto* pieces = std::get_if<SentencePieceSpec>(&model);
  return std::holds_alternative<BpeSpec>(model) || (pieces && pieces->algorithm == SentencePieceSpec::Algorithm::bpe);
}

}  // namespace

TokenizerConfig read_tokenizer_config(const std::map<std::string, std::string_view>& files) {
  TokenizerConfig config;
  if (const auto text = find(files, "special_tokens_map.json")) {
    read_names(JsonDocument::parse(*text, "special_tokens_map.json").root(), config.names);
  }
  if (const auto text = find(files, "tokenizer_config.json")) read_main(JsonDocument::parse(*text, "tokenizer_config.json").root(), config);
  if (const auto text = find(files, "added_tokens.json")) {
    const JsonDocument document = JsonDocument::parse(*text, "added_tokens.json");
    for (const auto& [content, id] : document.root().members()) {
      const bool is_known = std::ranges::any_of(config.added_tokens, [&](const AddedTokenSpec& token) { return token.content == content; });
      if (!is_known) config.added_tokens.push_back({{std::string(content), true, false, false, false, false}, read_token_id(id)});
    }
  }
  if (const auto text = find(files, "chat_template.jinja")) config.chat_template = *text;
  return config;
}

void apply_tokenizer_config(const TokenizerConfig& config, TokenizerSpec& spec) {
  fill_in(spec.names, config.names);
  spec.chat_template = config.chat_template;
  spec.model_max_length = config.model_max_length;
  spec.clean_up_tokenization_spaces = config.clean_up_tokenization_spaces && (config.clean_up_for_bpe || !is_bpe(spec.model));
  for (const AddedTokenSpec& token : config.added_tokens) {
    const bool is_known =
        std::ranges::any_of(spec.added_tokens, [&](const AddedTokenSpec& other) { return other.content == token.content; });
    if (!is_known) spec.added_tokens.push_back(token);
  }
  if (config.add_bos_token) set_border_token(spec, spec.names.bos, true, *config.add_bos_token);
  if (config.add_eos_token) set_border_token(spec, spec.names.eos, false, *config.add_eos_token);
}

}  // namespace webformer
