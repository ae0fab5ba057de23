// The stages of a tokenizer.json, read.
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/base64.h"
#include "formats/tokenizer_json.h"

namespace webformer {
namespace {

/// How one type of stage is read.
template <class Stage>
struct Reader {
  std::string_view type;
  Stage (*read)(Json);
};

/// One stage, or a Sequence of them under `list_name`.
template <class Stage, std::size_t count>
void read_stages(Json json, std::string_view list_name, const Reader<Stage> (&readers)[count], std::vector<Stage>& stages) {
  if (json.is_null()) return;
  const std::string_view type = json["type"].get_string();
  if (type == "Sequence") {
    for (const Json& stage : json[list_name].items()) read_stages(stage, list_name, readers, stages);
    return;
  }
  const auto reader = std::ranges::find(readers, type, &Reader<Stage>::type);
  if (reader != std::end(readers)) {
    stages.push_back(reader->read(json));
    return;
  }
  std::string supported = "Sequence";
  for (const auto& one : readers) (supported += ", ") += one.type;
  throw Error(Code::unsupported_model, "{}: {} is \"{}\"; supported are {}", json.file(), json["type"].path(), type, supported)
      .with("type", type);
}

PatternSpec read_pattern(Json json) {
  if (json.has("Regex")) return {std::string(json["Regex"].get_string()), true};
  return {std::string(json["String"].get_string()), false};
}

std::string one_character(Json json) {
  const std::string_view text = json.get_string();
  if (text.empty() || utf8_width(text[0]) != text.size()) {
    throw Error(Code::invalid_file, "{}: {} is \"{}\", one character expected", json.file(), json.path(), text);
  }
  return std::string(text);
}

std::uint32_t small_number(Json json, std::string_view name, std::uint32_t otherwise) {
  const std::int64_t value = json.get_or(name, std::int64_t(otherwise));
  if (value < 0 || value > 1'000'000)
    throw Error(Code::invalid_file, "{}: {} is {}, 0 to 1000000 expected", json.file(), json[name].path(), value);
  return std::uint32_t(value);
}

SplitBehavior read_behavior(Json json) {
  constexpr std::pair<std::string_view, SplitBehavior> names[]{{"Removed", SplitBehavior::removed},
                                                               {"Isolated", SplitBehavior::isolated},
                                                               {"MergedWithPrevious", SplitBehavior::merged_with_previous},
                                                               {"MergedWithNext", SplitBehavior::merged_with_next},
                                                               {"Contiguous", SplitBehavior::contiguous}};
  const std::string_view name = json.get_string();
  for (const auto& [known, behavior] : names) {
    if (name == known) return behavior;
  }
  throw Error(Code::invalid_file, "{}: {} is \"{}\"; known are Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous",
              json.file(), json.path(), name);
}

/// The older form says add_prefix_space where the newer says prepend_scheme.
MetaspaceSpec read_metaspace(Json json) {
  MetaspaceSpec spec;
  if (json.has("replacement")) spec.replacement = one_character(json["replacement"]);
  spec.split = json.get_or("split", true);
  const std::string scheme = json.get_or("prepend_scheme", json.get_or("add_prefix_space", true) ? "always" : "never");
  if (scheme == "never") spec.prepend = MetaspaceSpec::Prepend::never;
  else if (scheme == "first") spec.prepend = MetaspaceSpec::Prepend::first;
  else if (scheme != "always") {
    throw Error(Code::invalid_file, "{}: {} is \"{}\", always, never or first expected", json.file(), json["prepend_scheme"].path(),
                scheme);
  }
  return spec;
}

Replace read_replace(Json json) { return {read_pattern(json["pattern"]), std::string(json["content"].get_string())}; }

BertNormalizer read_bert_normalizer(Json json) {
  BertNormalizer spec{json.get_or("clean_text", true), json.get_or("handle_chinese_chars", true), std::nullopt,
                      json.get_or("lowercase", true)};
  if (json.has("strip_accents")) spec.strip_accents = json["strip_accents"].get_bool();
  return spec;
}

Precompiled read_precompiled(Json json) {
  const Json map = json["precompiled_charsmap"];
  if (map.is_null()) throw Error(Code::invalid_file, "{}: {} is missing, a charsmap in Base64 expected", map.file(), map.path());
  auto bytes = decode_base64(map.get_string());
  if (!bytes) throw Error(Code::invalid_file, "{}: {} is no Base64", map.file(), map.path());
  return {std::move(*bytes)};
}

constexpr Reader<Normalizer> normalizers[]{
    {"BertNormalizer", [](Json json) -> Normalizer { return read_bert_normalizer(json); }},
    {"NFC", [](Json) -> Normalizer { return NormalForm{NormalForm::Kind::nfc}; }},
    {"NFD", [](Json) -> Normalizer { return NormalForm{NormalForm::Kind::nfd}; }},
    {"NFKC", [](Json) -> Normalizer { return NormalForm{NormalForm::Kind::nfkc}; }},
    {"NFKD", [](Json) -> Normalizer { return NormalForm{NormalForm::Kind::nfkd}; }},
    {"Lowercase", [](Json) -> Normalizer { return Lowercase(); }},
    {"Nmt", [](Json) -> Normalizer { return Nmt(); }},
    {"StripAccents", [](Json) -> Normalizer { return StripAccents(); }},
    {"Strip", [](Json json) -> Normalizer { return StripSpaces{json.get_or("strip_left", true), json.get_or("strip_right", true)}; }},
    {"Replace", [](Json json) -> Normalizer { return read_replace(json); }},
    {"Prepend", [](Json json) -> Normalizer { return Prepend{std::string(json["prepend"].get_string())}; }},
    {"Precompiled", [](Json json) -> Normalizer { return read_precompiled(json); }},
    {"ByteLevel", [](Json) -> Normalizer { return ByteLevelNormalizer(); }},
};

constexpr Reader<PreTokenizer> pre_tokenizers[]{
    {"BertPreTokenizer", [](Json) -> PreTokenizer { return BertPreTokenizer(); }},
    {"Whitespace", [](Json) -> PreTokenizer { return WhitespacePreTokenizer(); }},
    {"WhitespaceSplit", [](Json) -> PreTokenizer { return WhitespaceSplit(); }},
    {"ByteLevel",
     [](Json json) -> PreTokenizer {
       return ByteLevelPreTokenizer{json.get_or("add_prefix_space", true), json.get_or("use_regex", true)};
     }},
    {"Metaspace", [](Json json) -> PreTokenizer { return read_metaspace(json); }},
    {"Split",
     [](Json json) -> PreTokenizer {
       return SplitPreTokenizer{read_pattern(json["pattern"]), read_behavior(json["behavior"]), json.get_or("invert", false)};
     }},
    {"Punctuation",
     [](Json json) -> PreTokenizer {
       return PunctuationPreTokenizer{json.has("behavior") ? read_behavior(json["behavior"]) : SplitBehavior::isolated};
     }},
    {"Digits", [](Json json) -> PreTokenizer { return DigitsPreTokenizer{json.get_or("individual_digits", false)}; }},
    {"CharDelimiterSplit", [](Json json) -> PreTokenizer { return DelimiterPreTokenizer{one_character(json["delimiter"])}; }},
    {"FixedLength", [](Json json) -> PreTokenizer { return FixedLengthPreTokenizer{std::max(small_number(json, "length", 5), 1u)}; }},
};

std::vector<TemplatePiece> read_template(Json json, const TemplateProcessing& spec) {
  std::vector<TemplatePiece> result;
  for (const Json& piece : json.items()) {
    const bool is_special = piece.has("SpecialToken");
    const Json what = is_special ? piece["SpecialToken"] : piece["Sequence"];
    TemplatePiece one;
    one.type_id = std::int32_t(what.get_or("type_id", 0));
    const std::string_view id = what["id"].get_string();
    if (is_special) {
      const auto token = std::ranges::find(spec.special_tokens, id, &TemplateToken::text);
      if (token == spec.special_tokens.end()) {
        throw Error(Code::invalid_file, "{}: {} is \"{}\", which special_tokens does not define", what.file(), what["id"].path(), id);
      }
      one.kind = TemplatePiece::Kind::special;
      one.special = std::uint32_t(token - spec.special_tokens.begin());
    } else if (id == "A" || id == "B") {
      one.kind = id == "A" ? TemplatePiece::Kind::first : TemplatePiece::Kind::second;
    } else {
      throw Error(Code::invalid_file, "{}: {} is \"{}\", A or B expected", what.file(), what["id"].path(), id);
    }
    result.push_back(one);
  }
  return result;
}

TemplateProcessing read_template_processing(Json json) {
  TemplateProcessing spec;
  if (json.has("special_tokens")) {
    for (const auto& [name, token] : json["special_tokens"].members()) {
      TemplateToken& one = spec.special_tokens.emplace_back();
      one.text = name;
      for (const Json& id : token["ids"].items()) one.ids.push_back(read_token_id(id));
      for (const Json& text : token["tokens"].items()) one.tokens.emplace_back(text.get_string());
    }
  }
  spec.single = read_template(json["single"], spec);
  spec.pair = read_template(json["pair"], spec);
  return spec;
}

/// ["[SEP]", 102]
TokenAndId read_token_and_id(Json json) {
  const std::vector<Json> pair = json.items();
  if (pair.size() != 2)
    throw Error(Code::invalid_file, "{}: {} has {} entries, a token and its id expected", json.file(), json.path(), pair.size());
  return {std::string(pair[0].get_string()), read_token_id(pair[1])};
}

constexpr Reader<PostProcessor> post_processors[]{
    {"TemplateProcessing", [](Json json) -> PostProcessor { return read_template_processing(json); }},
    {"BertProcessing",
     [](Json json) -> PostProcessor { return BertProcessing{read_token_and_id(json["sep"]), read_token_and_id(json["cls"])}; }},
    {"RobertaProcessing",
     [](Json json) -> PostProcessor {
       return RobertaProcessing{read_token_and_id(json["sep"]), read_token_and_id(json["cls"]), json.get_or("trim_offsets", true),
                                json.get_or("add_prefix_space", true)};
     }},
    {"ByteLevel",
     [](Json json) -> PostProcessor {
       return ByteLevelProcessing{json.get_or("trim_offsets", true), json.get_or("add_prefix_space", true)};
     }},
};

constexpr Reader<Decoder> decoders[]{
    {"ByteLevel", [](Json) -> Decoder { return ByteLevelDecoder(); }},
    {"WordPiece", [](Json json) -> Decoder { return WordPieceDecoder{json.get_or("prefix", "##"), json.get_or("cleanup", true)}; }},
    {"Metaspace", [](Json json) -> Decoder { return read_metaspace(json); }},
    {"BPEDecoder", [](Json json) -> Decoder { return BpeDecoder{json.get_or("suffix", "</w>")}; }},
    {"CTC",
     [](Json json) -> Decoder {
       return CtcDecoder{json.get_or("pad_token", "<pad>"), json.get_or("word_delimiter_token", "|"), json.get_or("cleanup", true)};
     }},
    {"Replace", [](Json json) -> Decoder { return read_replace(json); }},
    {"Fuse", [](Json) -> Decoder { return FuseDecoder(); }},
    {"ByteFallback", [](Json) -> Decoder { return ByteFallbackDecoder(); }},
    {"Strip",
     [](Json json) -> Decoder {
       return StripDecoder{one_character(json["content"]), small_number(json, "start", 0), small_number(json, "stop", 0)};
     }},
};

}  // namespace

void read_normalizers(Json json, std::vector<Normalizer>& stages) { read_stages(json, "normalizers", normalizers, stages); }
void read_pre_tokenizers(Json json, std::vector<PreTokenizer>& stages) { read_stages(json, "pretokenizers", pre_tokenizers, stages); }
void read_post_processors(Json json, std::vector<PostProcessor>& stages) { read_stages(json, "processors", post_processors, stages); }
void read_decoders(Json json, std::vector<Decoder>& stages) { read_stages(json, "decoders", decoders, stages); }

}  // namespace webformer
