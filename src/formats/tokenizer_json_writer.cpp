// A tokenizer.json, written.
#include <array>
#include <utility>

#include "formats/base64.h"
#include "formats/sentencepiece_convert.h"
#include "formats/tokenizer_files.h"
#include "formats/tokenizer_json.h"

namespace webformer {
namespace {

void write_pattern(JsonWriter& json, const PatternSpec& pattern) {
  json.key("pattern");
  json.begin_object();
  json.member(pattern.is_regex ? "Regex" : "String", pattern.text);
  json.end();
}

void write_behavior(JsonWriter& json, SplitBehavior behavior) {
  constexpr std::array<std::string_view, 5> names{"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"};
  json.member("behavior", names[std::size_t(behavior)]);
}

void write(JsonWriter& json, const BertNormalizer& it) {
  json.member("type", "BertNormalizer");
  json.member("clean_text", it.clean_text);
  json.member("handle_chinese_chars", it.handle_chinese_chars);
  json.key("strip_accents");
  if (it.strip_accents) json.value(*it.strip_accents);
  else json.null();
  json.member("lowercase", it.lowercase);
}
void write(JsonWriter& json, const NormalForm& it) {
  constexpr std::array<std::string_view, 4> names{"NFC", "NFD", "NFKC", "NFKD"};
  json.member("type", names[std::size_t(it.kind)]);
}
void write(JsonWriter& json, const Lowercase&) { json.member("type", "Lowercase"); }
void write(JsonWriter& json, const Nmt&) { json.member("type", "Nmt"); }
void write(JsonWriter& json, const StripAccents&) { json.member("type", "StripAccents"); }
void write(JsonWriter& json, const StripSpaces& it) {
  json.member("type", "Strip");
  json.member("strip_left", it.left);
  json.member("strip_right", it.right);
}
void write(JsonWriter& json, const Replace& it) {
  json.member("type", "Replace");
  write_pattern(json, it.pattern);
  json.member("content", it.content);
}
void write(JsonWriter& json, const Prepend& it) {
  json.member("type", "Prepend");
  json.member("prepend", it.prefix);
}
void write(JsonWriter& json, const Precompiled& it) {
  json.member("type", "Precompiled");
  json.member("precompiled_charsmap", encode_base64(it.charsmap));
}
void write(JsonWriter& json, const ByteLevelNormalizer&) { json.member("type", "ByteLevel"); }
void write(JsonWriter&, const SentencePieceNormalizer&) {}  // converted before

void write(JsonWriter& json, const BertPreTokenizer&) { json.member("type", "BertPreTokenizer"); }
void write(JsonWriter& json, const WhitespacePreTokenizer&) { json.member("type", "Whitespace"); }
void write(JsonWriter& json, const WhitespaceSplit&) { json.member("type", "WhitespaceSplit"); }
void write(JsonWriter& json, const ByteLevelPreTokenizer& it) {
  json.member("type", "ByteLevel");
  json.member("add_prefix_space", it.add_prefix_space);
  json.member("trim_offsets", true);
  json.member("use_regex", it.use_regex);
}
void write(JsonWriter& json, const MetaspaceSpec& it) {
  constexpr std::array<std::string_view, 3> schemes{"always", "never", "first"};
  json.member("type", "Metaspace");
  json.member("replacement", it.replacement);
  json.member("prepend_scheme", schemes[std::size_t(it.prepend)]);
  json.member("split", it.split);
}
void write(JsonWriter& json, const SplitPreTokenizer& it) {
  json.member("type", "Split");
  write_pattern(json, it.pattern);
  write_behavior(json, it.behavior);
  json.member("invert", it.invert);
}
void write(JsonWriter& json, const PunctuationPreTokenizer& it) {
  json.member("type", "Punctuation");
  write_behavior(json, it.behavior);
}
void write(JsonWriter& json, const DigitsPreTokenizer& it) {
  json.member("type", "Digits");
  json.member("individual_digits", it.individual_digits);
}
void write(JsonWriter& json, const DelimiterPreTokenizer& it) {
  json.member("type", "CharDelimiterSplit");
  json.member("delimiter", it.delimiter);
}
void write(JsonWriter& json, const FixedLengthPreTokenizer& it) {
  json.member("type", "FixedLength");
  json.member("length", std::int64_t(it.length));
}

void write_template(JsonWriter& json, std::string_view name, const std::vector<TemplatePiece>& pieces, const TemplateProcessing& spec) {
  json.key(name);
  json.begin_array();
  for (const TemplatePiece& piece : pieces) {
    const bool is_special = piece.kind == TemplatePiece::Kind::special;
    json.begin_object();
    json.key(is_special ? "SpecialToken" : "Sequence");
    json.begin_object();
    json.member("id", is_special                                 ? std::string_view(spec.special_tokens[piece.special].text)
                      : piece.kind == TemplatePiece::Kind::first ? "A"
                                                                 : "B");
    json.member("type_id", std::int64_t(piece.type_id));
    json.end();
    json.end();
  }
  json.end();
}
void write(JsonWriter& json, const TemplateProcessing& it) {
  json.member("type", "TemplateProcessing");
  write_template(json, "single", it.single, it);
  write_template(json, "pair", it.pair, it);
  json.key("special_tokens");
  json.begin_object();
  for (const TemplateToken& token : it.special_tokens) {
    json.key(token.text);
    json.begin_object();
    json.member("id", token.text);
    json.key("ids");
    json.begin_array();
    for (const std::int32_t id : token.ids) json.value(std::int64_t(id));
    json.end();
    json.key("tokens");
    json.begin_array();
    for (const std::string& text : token.tokens) json.value(text);
    json.end();
    json.end();
  }
  json.end();
}
void write_token_and_id(JsonWriter& json, std::string_view name, const TokenAndId& it) {
  json.key(name);
  json.begin_array();
  json.value(it.token);
  json.value(std::int64_t(it.id));
  json.end();
}
void write(JsonWriter& json, const BertProcessing& it) {
  json.member("type", "BertProcessing");
  write_token_and_id(json, "sep", it.sep);
  write_token_and_id(json, "cls", it.cls);
}
void write(JsonWriter& json, const RobertaProcessing& it) {
  json.member("type", "RobertaProcessing");
  write_token_and_id(json, "sep", it.sep);
  write_token_and_id(json, "cls", it.cls);
  json.member("trim_offsets", it.trim_offsets);
  json.member("add_prefix_space", it.add_prefix_space);
}
void write(JsonWriter& json, const ByteLevelProcessing& it) {
  json.member("type", "ByteLevel");
  json.member("add_prefix_space", it.add_prefix_space);
  json.member("trim_offsets", it.trim_offsets);
  json.member("use_regex", true);
}

void write(JsonWriter& json, const ByteLevelDecoder&) {
  json.member("type", "ByteLevel");
  json.member("add_prefix_space", true);
  json.member("trim_offsets", true);
  json.member("use_regex", true);
}
void write(JsonWriter& json, const WordPieceDecoder& it) {
  json.member("type", "WordPiece");
  json.member("prefix", it.prefix);
  json.member("cleanup", it.cleanup);
}
void write(JsonWriter& json, const BpeDecoder& it) {
  json.member("type", "BPEDecoder");
  json.member("suffix", it.suffix);
}
void write(JsonWriter& json, const CtcDecoder& it) {
  json.member("type", "CTC");
  json.member("pad_token", it.pad_token);
  json.member("word_delimiter_token", it.word_delimiter);
  json.member("cleanup", it.cleanup);
}
void write(JsonWriter& json, const FuseDecoder&) { json.member("type", "Fuse"); }
void write(JsonWriter& json, const ByteFallbackDecoder&) { json.member("type", "ByteFallback"); }
void write(JsonWriter& json, const StripDecoder& it) {
  json.member("type", "Strip");
  json.member("content", it.content);
  json.member("start", std::int64_t(it.start));
  json.member("stop", std::int64_t(it.stop));
}
void write(JsonWriter&, const SentencePieceDecoder&) {}  // converted before

/// null, one stage, or a Sequence of them.
template <class Stage>
void write_stages(JsonWriter& json, std::string_view list_name, const std::vector<Stage>& stages) {
  if (stages.empty()) return json.null();
  json.begin_object();
  const auto write_one = [&](const Stage& stage) { std::visit([&](const auto& one) { write(json, one); }, stage); };
  if (stages.size() == 1) {
    write_one(stages[0]);
  } else {
    json.member("type", "Sequence");
    json.key(list_name);
    json.begin_array();
    for (const Stage& stage : stages) {
      json.begin_object();
      write_one(stage);
      json.end();
    }
    json.end();
  }
  json.end();
}

std::string_view name_of(Side side) { return side == Side::right ? "Right" : "Left"; }

void write_truncation(JsonWriter& json, const std::optional<Truncation>& truncation) {
  if (!truncation) return json.null();
  constexpr std::array<std::string_view, 3> strategies{"LongestFirst", "OnlyFirst", "OnlySecond"};
  json.begin_object();
  json.member("direction", name_of(truncation->direction));
  json.member("max_length", std::int64_t(truncation->max_length));
  json.member("strategy", strategies[std::size_t(truncation->strategy)]);
  json.member("stride", std::int64_t(truncation->stride));
  json.end();
}

void write_padding(JsonWriter& json, const std::optional<Padding>& padding) {
  if (!padding) return json.null();
  json.begin_object();
  json.key("strategy");
  if (padding->length) {
    json.begin_object();
    json.member("Fixed", std::int64_t(*padding->length));
    json.end();
  } else {
    json.value("BatchLongest");
  }
  json.member("direction", name_of(padding->direction));
  json.key("pad_to_multiple_of");
  if (padding->multiple_of > 0) json.value(std::int64_t(padding->multiple_of));
  else json.null();
  json.member("pad_id", std::int64_t(padding->id.value_or(0)));
  json.member("pad_type_id", std::int64_t(padding->type_id));
  json.member("pad_token", padding->token.value_or("[PAD]"));
  json.end();
}

void write_added_tokens(JsonWriter& json, const std::vector<AddedTokenSpec>& tokens) {
  json.begin_array();
  for (const AddedTokenSpec& token : tokens) {
    json.begin_object();
    json.member("id", std::int64_t(token.id));
    json.member("content", token.content);
    json.member("single_word", token.single_word);
    json.member("lstrip", token.lstrip);
    json.member("rstrip", token.rstrip);
    json.member("normalized", token.normalized);
    json.member("special", token.special);
    json.end();
  }
  json.end();
}

}  // namespace

void write_normalizers(JsonWriter& json, const std::vector<Normalizer>& stages) { write_stages(json, "normalizers", stages); }
void write_pre_tokenizers(JsonWriter& json, const std::vector<PreTokenizer>& stages) { write_stages(json, "pretokenizers", stages); }
void write_post_processors(JsonWriter& json, const std::vector<PostProcessor>& stages) { write_stages(json, "processors", stages); }
void write_decoders(JsonWriter& json, const std::vector<Decoder>& stages) { write_stages(json, "decoders", stages); }

std::string write_tokenizer_json(const TokenizerSpec& given) {
  const TokenizerSpec spec = std::holds_alternative<SentencePieceSpec>(given.model) ? convert_sentencepiece(given) : given;
  JsonWriter json;
  json.begin_object();
  json.member("version", "1.0");
  json.key("truncation");
  write_truncation(json, spec.truncation);
  json.key("padding");
  write_padding(json, spec.padding);
  json.key("added_tokens");
  write_added_tokens(json, spec.added_tokens);
  json.key("normalizer");
  write_normalizers(json, spec.normalizers);
  json.key("pre_tokenizer");
  write_pre_tokenizers(json, spec.pre_tokenizers);
  json.key("post_processor");
  write_post_processors(json, spec.post_processors);
  json.key("decoder");
  write_decoders(json, spec.decoders);
  json.key("model");
  write_token_model(json, spec.model);
  json.end();
  return std::move(json).text();
}

}  // namespace webformer
