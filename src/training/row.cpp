#include "training/row.h"

#include "core/error.h"
#include "formats/excerpt.h"

namespace webformer {

namespace {

[[noreturn]] void refuse(const std::string& place, const Json& found, std::string_view expected) {
  throw Error(Code::invalid_argument, "{}: {} found, {} expected", place, found.is_missing() ? "nothing" : excerpt(found.to_json()),
              expected);
}

std::string text_of(const Json& json, const std::string& place) {
  if (!json.is_string()) refuse(place, json, "a text");
  return std::string(json.get_string());
}

}  // namespace

Json Row::member(std::string_view key) const {
  if (!json.is_object()) refuse(name, json, webformer::format("an object with {}", key));
  return json[key];
}

std::string Row::text() const { return text_of(json, name); }

std::string Row::text(std::string_view key) const { return text_of(member(key), webformer::format("{}.{}", name, key)); }

std::optional<std::string> Row::optional_text(std::string_view key) const {
  return member(key).is_null() ? std::nullopt : std::optional(text(key));
}

std::vector<std::string> Row::texts(std::string_view key) const {
  const Json list = member(key);
  if (!list.is_array()) refuse(webformer::format("{}.{}", name, key), list, "a list of texts");
  std::vector<std::string> texts;
  for (const Json& item : list.items()) texts.push_back(text_of(item, webformer::format("{}.{}[{}]", name, key, texts.size())));
  return texts;
}

std::int64_t Row::count(std::string_view key) const {
  const Json number = member(key);
  const double value = number.is_number() ? number.get_number() : -1;
  constexpr double largest = 9007199254740992;  // 2^53
  if (!(value >= 0 && value < largest && value == double(std::int64_t(value))))
    refuse(webformer::format("{}.{}", name, key), number, "a whole number of at least 0");
  return std::int64_t(value);
}

}  // namespace webformer
