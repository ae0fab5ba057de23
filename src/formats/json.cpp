#include "formats/json.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/json_scan.h"
#include "formats/excerpt.h"

namespace webformer {

using simdjson::internal::tape_ref;
using simdjson::internal::tape_type;

/// simdjson's tape: the values in document order, each at an index; containers tell where they end. The root's value is at 1.
struct JsonContent {
  std::string file;
  simdjson::dom::document document;

  tape_ref operator[](std::uint32_t at) const noexcept { return {&document, at}; }
  std::uint32_t after(std::uint32_t at) const noexcept { return std::uint32_t((*this)[at].after_element()); }
  std::uint32_t end_of(std::uint32_t container) const noexcept { return after(container) - 1; }
};

namespace {

constexpr std::size_t max_depth = 512;
constexpr std::uint32_t root_at = 1;

/// ".name", or ["any name"] where it is not a plain word.
std::string path_step(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && std::ranges::all_of(name, is_plain) ? "." + std::string(name) : "[" + quote_json(excerpt(name)) + "]";
}

void write_scalar(JsonWriter& json, const tape_ref& value) {
  switch (value.tape_ref_type()) {
    case tape_type::STRING: return json.value(value.get_string_view());
    case tape_type::INT64: return json.value(value.next_tape_value<std::int64_t>());
    case tape_type::UINT64: return json.raw(to_text(value.next_tape_value<std::uint64_t>()));
    case tape_type::DOUBLE: return json.value(value.next_tape_value<double>());
    case tape_type::TRUE_VALUE: return json.value(true);
    case tape_type::FALSE_VALUE: return json.value(false);
    default: return json.null();
  }
}

/// simdjson reserves 8 bytes of tape for each byte of text; this keeps those in use.
void shrink(simdjson::dom::document& document) {
  const std::size_t words = std::size_t(tape_ref(&document, 0).tape_value());
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < words;) {
    const tape_ref value(&document, at);
    switch (value.tape_ref_type()) {
      case tape_type::INT64: case tape_type::UINT64: case tape_type::DOUBLE: at += 2; break;
      case tape_type::STRING:  // its length, its bytes, a NUL
        bytes = std::size_t(value.tape_value()) + sizeof(std::uint32_t) + value.get_string_length() + 1;
        [[fallthrough]];
      default: ++at;
    }
  }
  auto tape = std::make_unique<std::uint64_t[]>(words);
  std::copy_n(document.tape.get(), words, tape.get());
  document.tape = std::move(tape);
  auto strings = std::make_unique<std::uint8_t[]>(bytes);
  std::copy_n(document.string_buf.get(), bytes, strings.get());
  document.string_buf = std::move(strings);
}

simdjson::error_code read(std::string_view text, simdjson::dom::document& document) {
  simdjson::dom::parser parser;
  if (const auto error = parser.allocate(text.size(), max_depth + 1)) return error;
  return parser.parse_into_document(document, text.data(), text.size()).error();
}

/// simdjson refuses whole numbers beyond 64 bits (tokenizer_config.json has 10^30 for "no limit"); with a fraction they become doubles.
std::string with_fractions(std::string_view text, const std::vector<std::size_t>& ends) {
  std::string result;
  std::size_t from = 0;
  for (const std::size_t end : ends) {
    result += text.substr(from, end - from);
    result += ".0";
    from = end;
  }
  return result += text.substr(from);
}

[[noreturn]] void refuse_text(std::string_view text, const std::string& file, const JsonScan& scan) {
  if (text.empty()) throw Error(Code::invalid_file, "{}: 0 bytes, JSON text expected", file);
  if (scan.expected.empty()) throw Error(Code::invalid_file, "{}: a number beyond the range of double precision", file);
  const bool at_end = scan.position == text.size();
  const std::string found = at_end ? "the end" : quote_json(text.substr(scan.position, utf8_step(text, scan.position).width));
  throw Error(Code::invalid_file, "{}: byte {}: {} found, {} expected", file, scan.position, found, scan.expected)
      .with("position", scan.position);
}

}  // namespace

JsonDocument JsonDocument::parse(std::string_view text, std::string file) {
  auto content = std::make_shared<JsonContent>();
  content->file = std::move(file);
  simdjson::error_code error = read(text, content->document);
  if (error == simdjson::MEMALLOC) {
    throw Error(Code::out_of_memory, "{}: not enough memory for {} bytes of JSON", content->file, text.size());
  }
  if (error) {
    const JsonScan scan = scan_json(text, max_depth);
    if (!scan.expected.empty() || scan.big_integers.empty()) refuse_text(text, content->file, scan);
    error = read(with_fractions(text, scan.big_integers), content->document);
    if (error) refuse_text(text, content->file, scan);
  }
  shrink(content->document);
  JsonDocument document;
  document.content_ = std::move(content);
  return document;
}

Json JsonDocument::root() const { return Json(content_.get(), root_at); }

bool Json::is_missing() const noexcept { return !content_ || absent_; }
bool Json::is_null() const noexcept { return is_missing() || (*content_)[at_].is_null_on_tape(); }
bool Json::is_bool() const noexcept { return !is_missing() && ((*content_)[at_].is_true() || (*content_)[at_].is_false()); }
bool Json::is_number() const noexcept {
  if (is_missing()) return false;
  const tape_type type = (*content_)[at_].tape_ref_type();
  return type == tape_type::INT64 || type == tape_type::UINT64 || type == tape_type::DOUBLE;
}
bool Json::is_string() const noexcept { return !is_missing() && (*content_)[at_].tape_ref_type() == tape_type::STRING; }
bool Json::is_array() const noexcept { return !is_missing() && (*content_)[at_].tape_ref_type() == tape_type::START_ARRAY; }
bool Json::is_object() const noexcept { return !is_missing() && (*content_)[at_].tape_ref_type() == tape_type::START_OBJECT; }

void Json::refuse(std::string_view expected) const {
  const std::string found = is_missing()  ? "missing"
                            : is_object() ? "an object"
                            : is_array()  ? "an array"
                            : is_string() ? quote_json(excerpt(get_string()))
                                          : to_json();
  throw Error(Code::invalid_file, "{}: {} is {}, {} expected", file(), path(), found, expected).with("path", path()).with("found", found);
}

bool Json::get_bool() const {
  if (!is_bool()) refuse("true or false");
  return (*content_)[at_].is_true();
}

double Json::get_number() const {
  if (!is_number()) refuse("a number");
  const tape_ref value = (*content_)[at_];
  if (value.is_double()) return value.next_tape_value<double>();
  return value.is_int64() ? double(value.next_tape_value<std::int64_t>()) : double(value.next_tape_value<std::uint64_t>());
}

std::int64_t Json::get_integer() const {
  if (!is_number()) refuse("a whole number");
  const tape_ref value = (*content_)[at_];
  if (value.is_int64()) return value.next_tape_value<std::int64_t>();
  constexpr double limit = 9223372036854775808.0;  // 2^63
  const double number = get_number();
  if (number != std::trunc(number)) refuse("a whole number");
  if (number < -limit || number >= limit) refuse("a whole number of 64 bits");
  return std::int64_t(number);
}

std::int64_t Json::get_size() const {
  constexpr std::string_view expected = "a whole number from 0 to 2^53";
  if (!is_number() || !(*content_)[at_].is_int64()) refuse(expected);
  const auto size = (*content_)[at_].next_tape_value<std::int64_t>();
  if (size < 0 || size > std::int64_t(1) << 53) refuse(expected);
  return size;
}

std::string_view Json::get_string() const {
  if (!is_string()) refuse("a string");
  return (*content_)[at_].get_string_view();
}

std::uint32_t Json::find(std::string_view name) const {
  if (!is_object()) refuse("an object");
  const std::uint32_t end = content_->end_of(at_);
  std::uint32_t found = end;
  for (std::uint32_t at = at_ + 1; at < end; at = content_->after(at + 1)) {
    if ((*content_)[at].get_string_view() == name) found = at + 1;
  }
  return found;
}

Json Json::operator[](std::string_view name) const {
  Json value(content_, at_);
  if (is_null()) {
    value.absent_ = std::make_shared<const std::string>((absent_ ? *absent_ : "") + path_step(name));
  } else if (const std::uint32_t at = find(name); at != content_->end_of(at_)) {
    value.at_ = at;
  } else {
    value.absent_ = std::make_shared<const std::string>(path_step(name));
  }
  return value;
}

bool Json::has(std::string_view name) const {
  if (is_null()) return false;
  const std::uint32_t at = find(name);
  return at != content_->end_of(at_) && !(*content_)[at].is_null_on_tape();
}

std::vector<Json> Json::items() const {
  if (!is_array()) refuse("an array");
  std::vector<Json> result;
  result.reserve((*content_)[at_].scope_count());
  for (std::uint32_t at = at_ + 1; at < content_->end_of(at_); at = content_->after(at)) result.push_back(Json(content_, at));
  return result;
}

std::vector<std::pair<std::string_view, Json>> Json::members() const {
  if (!is_object()) refuse("an object");
  std::vector<std::pair<std::string_view, Json>> result;
  result.reserve((*content_)[at_].scope_count());
  for (std::uint32_t at = at_ + 1; at < content_->end_of(at_); at = content_->after(at + 1)) {
    result.emplace_back((*content_)[at].get_string_view(), Json(content_, at + 1));
  }
  return result;
}

bool Json::get_or(std::string_view name, bool otherwise) const { return has(name) ? (*this)[name].get_bool() : otherwise; }
double Json::get_or(std::string_view name, double otherwise) const { return has(name) ? (*this)[name].get_number() : otherwise; }
std::int64_t Json::get_or(std::string_view name, std::int64_t otherwise) const {
  return has(name) ? (*this)[name].get_integer() : otherwise;
}
std::string Json::get_or(std::string_view name, const char* otherwise) const {
  return has(name) ? std::string((*this)[name].get_string()) : otherwise;
}

std::string Json::path() const {
  std::string path;
  if (content_) {
    for (std::uint32_t container = root_at; container != at_;) {  // down into the child that holds this value
      const bool named = (*content_)[container].tape_ref_type() == tape_type::START_OBJECT;
      std::uint32_t child = container + 1, index = 0;
      for (; content_->after(child + named) <= at_; ++index) child = content_->after(child + named);
      path += named ? path_step((*content_)[child].get_string_view()) : "[" + to_text(index) + "]";
      container = child + named;
    }
  }
  if (absent_) path += *absent_;
  return path.empty() ? "the document" : path.substr(path[0] == '.');
}

std::string Json::to_json() const {
  JsonWriter json;
  if (is_missing()) return "null";
  std::string open;  // which container, and whether a name comes next: 'a' array, 'n' name, 'v' value of a name
  const std::uint32_t end = content_->after(at_);
  for (std::uint32_t at = at_; at < end;) {
    const tape_ref value = (*content_)[at];
    const tape_type type = value.tape_ref_type();
    if (type == tape_type::END_ARRAY || type == tape_type::END_OBJECT) {
      json.end();
      open.pop_back();
      ++at;
      continue;
    }
    if (!open.empty() && open.back() == 'n') {
      json.key(value.get_string_view());
      open.back() = 'v';
      ++at;
      continue;
    }
    if (!open.empty() && open.back() == 'v') open.back() = 'n';
    if (type == tape_type::START_ARRAY || type == tape_type::START_OBJECT) {
      type == tape_type::START_ARRAY ? json.begin_array() : json.begin_object();
      open += type == tape_type::START_ARRAY ? 'a' : 'n';
      ++at;
    } else {
      write_scalar(json, value);
      at = content_->after(at);
    }
  }
  return std::move(json).text();
}

std::string_view Json::file() const noexcept { return content_ ? std::string_view(content_->file) : ""; }

}  // namespace webformer
