#include "formats/tokenizer_json.h"

#include <utility>

#include "core/error.h"

namespace webformer {
namespace {

Side read_side(Json json) {
  const std::string_view side = json.get_string();
  if (side == "Right") return Side::right;
  if (side == "Left") return Side::left;
  throw Error(Code::invalid_file, "{}: {} is \"{}\", Right or Left expected", json.file(), json.path(), side);
}

Truncation read_truncation(Json json) {
  Truncation result;
  result.max_length = std::size_t(json["max_length"].get_size());
  result.stride = json.has("stride") ? std::size_t(json["stride"].get_size()) : 0;
  if (json.has("direction")) result.direction = read_side(json["direction"]);
  const std::string strategy = json.get_or("strategy", "LongestFirst");
  if (strategy == "OnlyFirst") result.strategy = TruncationStrategy::only_first;
  else if (strategy == "OnlySecond") result.strategy = TruncationStrategy::only_second;
  else if (strategy != "LongestFirst") {
    throw Error(Code::invalid_file, "{}: {} is \"{}\", LongestFirst, OnlyFirst or OnlySecond expected", json.file(),
                json["strategy"].path(), strategy);
  }
  return result;
}

Padding read_padding(Json json) {
  Padding result;
  if (const Json strategy = json["strategy"]; strategy.is_object()) result.length = std::size_t(strategy["Fixed"].get_size());
  if (json.has("pad_to_multiple_of")) result.multiple_of = std::size_t(json["pad_to_multiple_of"].get_size());
  if (json.has("direction")) result.direction = read_side(json["direction"]);
  if (json.has("pad_id")) result.id = read_token_id(json["pad_id"]);
  if (json.has("pad_token")) result.token = std::string(json["pad_token"].get_string());
  result.type_id = std::int32_t(json.get_or("pad_type_id", 0));
  return result;
}

AddedTokenSpec read_added_token(Json json) {
  AddedTokenSpec token;
  token.content = json["content"].get_string();
  token.special = json.get_or("special", false);
  token.lstrip = json.get_or("lstrip", false);
  token.rstrip = json.get_or("rstrip", false);
  token.single_word = json.get_or("single_word", false);
  token.normalized = json.get_or("normalized", !token.special);
  token.id = read_token_id(json["id"]);
  return token;
}

}  // namespace

std::int32_t read_token_id(Json json) {
  const std::int64_t id = json.get_integer();
  if (id < 0 || id > 0x7fffffff) {
    throw Error(Code::invalid_file, "{}: {} is {}, an id from 0 to 2147483647 expected", json.file(), json.path(), id);
  }
  return std::int32_t(id);
}

TokenizerSpec read_tokenizer_json(std::string_view text, std::string file) {
  const JsonDocument document = JsonDocument::parse(text, std::move(file));
  const Json root = document.root();
  if (!root.is_object() || !root.has("model")) {
    throw Error(Code::invalid_file, "{}: no tokenizer: an object with the member \"model\" expected", root.file());
  }
  TokenizerSpec spec;
  spec.source = root.file();
  read_normalizers(root["normalizer"], spec.normalizers);
  read_pre_tokenizers(root["pre_tokenizer"], spec.pre_tokenizers);
  spec.model = read_token_model(root["model"]);
  read_post_processors(root["post_processor"], spec.post_processors);
  read_decoders(root["decoder"], spec.decoders);
  if (root.has("added_tokens")) {
    for (const Json& token : root["added_tokens"].items()) spec.added_tokens.push_back(read_added_token(token));
  }
  if (root.has("truncation")) spec.truncation = read_truncation(root["truncation"]);
  if (root.has("padding")) spec.padding = read_padding(root["padding"]);
  return spec;
}

}  // namespace webformer
