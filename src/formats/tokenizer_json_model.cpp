// The "model" of a tokenizer.json.
#include <cmath>
#include <utility>

#include "core/error.h"
#include "formats/tokenizer_json.h"

namespace webformer {
namespace {

/// Files of the first versions have no "type": the members tell.
std::string_view model_type(Json json) {
  if (json.has("type")) return json["type"].get_string();
  if (json.has("merges")) return "BPE";
  if (json["vocab"].is_array()) return "Unigram";
  return json.has("max_input_chars_per_word") || json.has("continuing_subword_prefix") ? "WordPiece" : "WordLevel";
}

std::string text_or_none(Json json, std::string_view name) { return json.has(name) ? std::string(json[name].get_string()) : std::string(); }

/// ["a", "b"], or "a b".
void read_merge(Json json, StringPool& merges) {
  if (json.is_array()) {
    const std::vector<Json> pair = json.items();
    if (pair.size() != 2) throw Error(Code::invalid_file, "{}: {} has {} entries, 2 expected", json.file(), json.path(), pair.size());
    merges.push_back(pair[0].get_string());
    merges.push_back(pair[1].get_string());
    return;
  }
  const std::string_view text = json.get_string();
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
    throw Error(Code::invalid_file, "{}: {} is \"{}\", two tokens with a space between them expected", json.file(), json.path(), text);
  }
  merges.push_back(text.substr(0, space));
  merges.push_back(text.substr(space + 1));
}

BpeSpec read_bpe(Json json) {
  BpeSpec spec;
  spec.vocabulary = read_vocabulary(json["vocab"]);
  for (const Json& merge : json["merges"].items()) {
    if (merge.is_string() && merge.get_string().starts_with("#version")) continue;
    read_merge(merge, spec.merges);
  }
  if (json.has("unk_token")) spec.unknown_token = std::string(json["unk_token"].get_string());
  spec.continuing_prefix = text_or_none(json, "continuing_subword_prefix");
  spec.word_suffix = text_or_none(json, "end_of_word_suffix");
  spec.fuse_unknown = json.get_or("fuse_unk", false);
  spec.byte_fallback = json.get_or("byte_fallback", false);
  spec.ignore_merges = json.get_or("ignore_merges", false);
  if (json.get_or("dropout", 0.0) != 0.0) {
    throw Error(Code::unsupported_model, "{}: {} is {}: tokenizing at random is not supported, null or 0 expected", json.file(),
                json["dropout"].path(), json["dropout"].get_number());
  }
  return spec;
}

WordPieceSpec read_wordpiece(Json json) {
  WordPieceSpec spec;
  spec.vocabulary = read_vocabulary(json["vocab"]);
  spec.unknown_token = json.get_or("unk_token", "[UNK]");
  spec.continuing_prefix = json.get_or("continuing_subword_prefix", "##");
  const std::int64_t most = json.get_or("max_input_chars_per_word", 100);
  if (most < 0 || most > 0x7fffffff) {
    throw Error(Code::invalid_file, "{}: {} is {}, 0 to 2147483647 expected", json.file(), json["max_input_chars_per_word"].path(), most);
  }
  spec.max_characters = std::uint32_t(most);
  return spec;
}

/// What tokenizers makes of a score. Its JSON reader, serde_json without `float_roundtrip`, divides the shortest decimal digits that stand
/// for the number by a power of ten, each rounded by itself, and so may miss the number by its last bit: enough to part two ways to cut a
/// word whose scores would be the same.
double score_as_tokenizers_reads_it(double value) {
  using Wide = unsigned __int128;
  const double magnitude = std::abs(value);
  if (!(magnitude >= 1e-3 && magnitude < 1e15)) return value;  // where Wide would not hold the products below
  int exponent = 0;
  const auto mantissa = std::uint64_t(std::ldexp(std::frexp(magnitude, &exponent), 53));
  const int shift = 53 - exponent;  // magnitude = mantissa / 2^shift
  const int whole_digits = int(std::floor(std::log10(magnitude))) + 1;
  for (const int digits : {15, 16, 17}) {
    std::uint64_t power = 1;
    for (int i = whole_digits; i < digits; ++i) power *= 10;
    const Wide product = Wide(mantissa) * power;
    auto decimal = std::uint64_t((product + (Wide(1) << (shift - 1))) >> shift);
    const Wide back = Wide(decimal) << shift;
    const bool reads_back = (back > product ? back - product : product - back) * 2 < power;
    if (!reads_back && digits < 17) continue;
    for (; power > 1 && decimal % 10 == 0; power /= 10) decimal /= 10;
    return std::copysign(double(decimal) / double(power), value);
  }
  return value;
}

UnigramSpec read_unigram(Json json) {
  UnigramSpec spec;
  for (const Json& entry : json["vocab"].items()) {
    const std::vector<Json> pair = entry.items();
    if (pair.size() != 2)
      throw Error(Code::invalid_file, "{}: {} has {} entries, a piece and its score expected", entry.file(), entry.path(), pair.size());
    spec.pieces.push_back(pair[0].get_string());
    spec.scores.push_back(score_as_tokenizers_reads_it(pair[1].get_number()));
  }
  if (json.has("unk_id")) spec.unknown_id = std::uint32_t(read_token_id(json["unk_id"]));
  spec.byte_fallback = json.get_or("byte_fallback", false);
  return spec;
}

void write_vocabulary(JsonWriter& json, const VocabularySpec& vocabulary) {
  json.key("vocab");
  json.begin_object();
  for (std::size_t i = 0; i < vocabulary.ids.size(); ++i) json.member(vocabulary.tokens[i], std::int64_t(vocabulary.ids[i]));
  json.end();
}

void write_text_or_null(JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  if (text.empty()) json.null();
  else json.value(text);
}

void write(JsonWriter& json, const BpeSpec& spec) {
  json.member("type", "BPE");
  json.key("dropout");
  json.null();
  write_text_or_null(json, "unk_token", spec.unknown_token.value_or(""));
  write_text_or_null(json, "continuing_subword_prefix", spec.continuing_prefix);
  write_text_or_null(json, "end_of_word_suffix", spec.word_suffix);
  json.member("fuse_unk", spec.fuse_unknown);
  json.member("byte_fallback", spec.byte_fallback);
  json.member("ignore_merges", spec.ignore_merges);
  write_vocabulary(json, spec.vocabulary);
  json.key("merges");
  json.begin_array();
  for (std::size_t i = 0; i + 1 < spec.merges.size(); i += 2) {
    json.begin_array();
    json.value(spec.merges[i]);
    json.value(spec.merges[i + 1]);
    json.end();
  }
  json.end();
}

void write(JsonWriter& json, const WordPieceSpec& spec) {
  json.member("type", "WordPiece");
  json.member("unk_token", spec.unknown_token);
  json.member("continuing_subword_prefix", spec.continuing_prefix);
  json.member("max_input_chars_per_word", std::int64_t(spec.max_characters));
  write_vocabulary(json, spec.vocabulary);
}

void write(JsonWriter& json, const WordLevelSpec& spec) {
  json.member("type", "WordLevel");
  write_vocabulary(json, spec.vocabulary);
  json.member("unk_token", spec.unknown_token);
}

void write(JsonWriter& json, const UnigramSpec& spec) {
  json.member("type", "Unigram");
  json.key("unk_id");
  if (spec.unknown_id) json.value(std::int64_t(*spec.unknown_id));
  else json.null();
  json.key("vocab");
  json.begin_array();
  for (std::size_t i = 0; i < spec.pieces.size(); ++i) {
    json.begin_array();
    json.value(spec.pieces[i]);
    json.value(spec.scores[i]);
    json.end();
  }
  json.end();
  json.member("byte_fallback", spec.byte_fallback);
}

void write(JsonWriter&, const SentencePieceSpec&) {
  throw Error(Code::internal_error, "a SentencePiece model is to be converted before it is written as JSON");
}

}  // namespace

VocabularySpec read_vocabulary(Json json) {
  VocabularySpec result;
  const auto members = json.members();
  result.ids.reserve(members.size());
  for (const auto& [token, id] : members) {
    result.tokens.push_back(token);
    result.ids.push_back(read_token_id(id));
  }
  return result;
}

TokenModel read_token_model(Json json) {
  const std::string_view type = model_type(json);
  if (type == "BPE") return read_bpe(json);
  if (type == "WordPiece") return read_wordpiece(json);
  if (type == "WordLevel") return WordLevelSpec{read_vocabulary(json["vocab"]), json.get_or("unk_token", "<unk>")};
  if (type == "Unigram") return read_unigram(json);
  throw Error(Code::unsupported_model, "{}: {} is \"{}\"; supported are BPE, WordPiece, WordLevel, Unigram", json.file(),
              json["type"].path(), type)
      .with("type", type);
}

void write_token_model(JsonWriter& json, const TokenModel& model) {
  json.begin_object();
  std::visit([&](const auto& spec) { write(json, spec); }, model);
  json.end();
}

}  // namespace webformer
