#include "wasm/encode_options.h"

#include "core/error.h"

namespace webformer {

namespace {

Side read_side(const Json& json) { return json.get_or("direction", "right") == "left" ? Side::left : Side::right; }

TruncationStrategy read_strategy(const Json& json) {
  const std::string name = json.get_or("strategy", "longest_first");
  if (name == "only_first") return TruncationStrategy::only_first;
  return name == "only_second" ? TruncationStrategy::only_second : TruncationStrategy::longest_first;
}

Padding read_padding(const Json& json) {
  Padding padding;
  if (json.has("length")) padding.length = read_size(json, "length", 0);
  padding.multiple_of = read_size(json, "multipleOf", 0);
  padding.direction = read_side(json);
  if (json.has("padId")) padding.id = std::int32_t(read_size(json, "padId", 0));
  if (json.has("padToken")) padding.token = std::string(json["padToken"].get_string());
  padding.type_id = std::int32_t(read_size(json, "padTypeId", 0));
  return padding;
}

}  // namespace

std::size_t read_size(const Json& json, std::string_view name, std::size_t otherwise) {
  const Json value = json[name];
  if (value.is_missing()) return otherwise;
  const double number = value.get_number();
  if (!(number >= 0 && number < 0x1p32) || number != double(std::uint32_t(number))) {
    throw Error(Code::invalid_argument, "{}: {} found, a whole number from 0 to 2^32 - 1 expected", name, value.to_json())
        .with("option", name);
  }
  return std::size_t(number);
}

EncodeOptions read_encode_options(const Json& json) {
  EncodeOptions options;
  if (const Json truncation = json["truncation"]; !truncation.is_missing()) {
    options.truncation = Truncation{.max_length = read_size(truncation, "maxLength", 0),
                                    .stride = read_size(truncation, "stride", 0),
                                    .strategy = read_strategy(truncation),
                                    .direction = read_side(truncation)};
  }
  if (const Json padding = json["padding"]; !padding.is_missing()) options.padding = read_padding(padding);
  return options;
}

AddedToken read_added_token(const Json& json) {
  const bool special = json.get_or("special", false);
  return {.content = json.get_or("content", ""),
          .special = special,
          .lstrip = json.get_or("lstrip", false),
          .rstrip = json.get_or("rstrip", false),
          .single_word = json.get_or("singleWord", false),
          .normalized = json.get_or("normalized", !special)};
}

}  // namespace webformer
