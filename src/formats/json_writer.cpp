#include "formats/json_writer.h"

#include <cmath>

#include "core/error.h"
#include "core/utf8.h"

namespace webformer {

std::string quote_json(std::string_view text) {
  if (const auto repaired = repair_utf8(text)) return quote_json(*repaired);
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view escaped = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
  std::string quoted = "\"";
  quoted.reserve(text.size() + 2);
  for (const char c : text) {
    if (const std::size_t which = escaped.find(c); which != std::string_view::npos) {
      quoted += {'\\', letters[which]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += {'\\', 'u', '0', '0', digits[std::size_t(c) >> 4], digits[std::size_t(c) & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

void JsonWriter::begin(char brace) {
  before_item();
  text_ += brace;
  open_ += brace == '{' ? '}' : ']';
  empty_ = true;
}

void JsonWriter::end() {
  const char brace = open_.back();
  open_.pop_back();
  if (!empty_) new_line();
  text_ += brace;
  empty_ = false;
}

void JsonWriter::key(std::string_view name) {
  before_item();
  text_ += quote_json(name);
  text_ += indent_ ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) throw Error(Code::invalid_argument, "JSON: {} found, a finite number expected", number);
  const std::string digits = to_text(number);
  raw(digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits);
}

void JsonWriter::raw(std::string_view json) {
  before_item();
  text_ += json;
}

void JsonWriter::before_item() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (open_.empty()) return;
  if (!empty_) text_ += ',';
  empty_ = false;
  new_line();
}

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(open_.size() * std::size_t(indent_), ' ');
}

}  // namespace webformer
