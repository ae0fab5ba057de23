#pragma once
// JSON, written: config.json, the headers of safetensors files, tokenizer.json.

#include <cstdint>
#include <string>
#include <string_view>

namespace webformer {

/// `text` in quotes. Malformed UTF-8 becomes U+FFFD, so that the result is always valid.
std::string quote_json(std::string_view text);

/// Builds JSON text, compact, or with each member on its own line, indented by `indent` spaces a level, as Python's json.dumps does.
///   JsonWriter json;
///   json.begin_object();
///   json.member("hidden_size", 384);
///   json.key("layers");
///   json.begin_array(); json.value("encoder"); json.end();
///   json.end();
///   return std::move(json).text();
class JsonWriter {
 public:
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  void begin_object() { begin('{'); }
  void begin_array() { begin('['); }
  void end();  ///< of the innermost object or array
  void key(std::string_view name);

  void value(std::string_view text) { raw(quote_json(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool yes) { raw(yes ? "true" : "false"); }
  void value(double number);  ///< the shortest that reads back the same; throws invalid_argument for NaN and infinity
  void value(std::int64_t number) { raw(std::to_string(number)); }
  void value(int number) { value(std::int64_t(number)); }
  void null() { raw("null"); }
  void raw(std::string_view json);  ///< a value that is JSON text already

  template <class Value>
  void member(std::string_view name, const Value& its_value) {
    key(name);
    value(its_value);
  }

  std::string text() && { return std::move(text_); }

 private:
  void begin(char brace);
  void before_item();
  void new_line();

  int indent_;
  std::string text_;
  std::string open_;  // the closing braces and brackets that are owed
  bool empty_ = true;      // nothing in the innermost one yet
  bool after_key_ = false;
};

}  // namespace webformer
