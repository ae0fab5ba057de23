#pragma once
// JSON, read by simdjson. A document is immutable; values are cheap handles that are valid while their document lives.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/json_writer.h"

namespace webformer {

struct JsonContent;

/// A handle to one value. A default-constructed or absent value is "missing": is_missing(), and every get_* throws.
/// Errors are invalid_file and name the document and the value's path: "config.json: rope_parameters.factor is "8", a number expected".
class Json {
 public:
  Json() = default;

  bool is_missing() const noexcept;
  bool is_null() const noexcept;  ///< null or missing
  bool is_bool() const noexcept;
  bool is_number() const noexcept;
  bool is_string() const noexcept;
  bool is_array() const noexcept;
  bool is_object() const noexcept;

  bool get_bool() const;
  double get_number() const;              ///< any number
  std::int64_t get_integer() const;       ///< a whole number; 3.0 counts as one, 3.5 and 2^63 do not
  std::int64_t get_size() const;          ///< 0 to 2^53, written without fraction or exponent: sizes and offsets of foreign files
  std::string_view get_string() const;    ///< UTF-8, valid while the document lives

  /// The member of that name (the last one, where a name occurs twice); missing where there is none or this is null or missing.
  /// Throws where this is anything else than an object.
  Json operator[](std::string_view name) const;
  bool has(std::string_view name) const;  ///< there, and not null
  std::vector<Json> items() const;                                  ///< of an array; throws otherwise
  std::vector<std::pair<std::string_view, Json>> members() const;   ///< of an object in file order, twins included; throws otherwise

  // With a default for what is missing or null. A value of the wrong type still throws.
  bool get_or(std::string_view name, bool otherwise) const;
  double get_or(std::string_view name, double otherwise) const;
  std::int64_t get_or(std::string_view name, std::int64_t otherwise) const;
  std::int64_t get_or(std::string_view name, int otherwise) const { return get_or(name, std::int64_t(otherwise)); }
  std::string get_or(std::string_view name, const char* otherwise) const;

  std::string path() const;     ///< "model.vocab[3]", "the document" for the root; for error messages
  std::string to_json() const;  ///< this value as compact JSON text; "null" where it is missing
  std::string_view file() const noexcept;  ///< the document's name

 private:
  friend class JsonDocument;
  Json(const JsonContent* content, std::uint32_t at) noexcept : content_(content), at_(at) {}
  /// The value of that name, or the end of the object.
  std::uint32_t find(std::string_view name) const;
  [[noreturn]] void refuse(std::string_view expected) const;

  const JsonContent* content_ = nullptr;
  std::uint32_t at_ = 0;                      // place in the document; of a missing value, that of the object which lacks it
  std::shared_ptr<const std::string> absent_;  // path of a missing value below that object
};

/// Parses UTF-8 text. `file` is the name that errors carry. Throws invalid_file for anything that is not exactly one JSON value
/// (with the byte position), and for nesting over 512 levels. Whole numbers beyond 64 bits are read as floating-point numbers.
class JsonDocument {
 public:
  static JsonDocument parse(std::string_view text, std::string file);
  Json root() const;

 private:
  std::shared_ptr<const JsonContent> content_;
};

}  // namespace webformer
