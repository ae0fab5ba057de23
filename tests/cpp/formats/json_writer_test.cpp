#include "formats/json_writer.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/error.h"

using namespace webformer;

namespace {

std::string sample(int indent) {
  JsonWriter json(indent);
  json.begin_object();
  json.member("hidden_size", 384);
  json.member("layer_norm_eps", 1e-12);
  json.member("rope_theta", 10000.0);
  json.member("tie", true);
  json.key("layers");
  json.begin_array();
  json.value("encoder");
  json.null();
  json.begin_object();
  json.end();
  json.begin_array();
  json.end();
  json.end();
  json.end();
  return std::move(json).text();
}

}  // namespace

TEST_CASE("compact JSON has no spaces") {
  CHECK(sample(0) == R"({"hidden_size":384,"layer_norm_eps":1e-12,"rope_theta":10000.0,"tie":true,"layers":["encoder",null,{},[]]})");
}

TEST_CASE("indented JSON looks as Python's json.dumps(indent=2)") {
  CHECK(sample(2) == R"({
  "hidden_size": 384,
  "layer_norm_eps": 1e-12,
  "rope_theta": 10000.0,
  "tie": true,
  "layers": [
    "encoder",
    null,
    {},
    []
  ]
})");
}

TEST_CASE("a scalar alone is written bare") {
  JsonWriter json;
  json.value(std::int64_t(-5));
  CHECK(std::move(json).text() == "-5");
}

TEST_CASE("what is not finite has no JSON") {
  JsonWriter json;
  CHECK_THROWS_AS(json.value(std::numeric_limits<double>::quiet_NaN()), Error);
  CHECK_THROWS_AS(json.value(-std::numeric_limits<double>::infinity()), Error);
}

TEST_CASE("quotes, backslashes and control characters are escaped, the rest of Unicode is not") {
  CHECK(quote_json(std::string("a\"b\\c/\n\r\t\b\f\x01\x1f\0é😀\x7f", 21)) == "\"a\\\"b\\\\c/\\n\\r\\t\\b\\f\\u0001\\u001f\\u0000é😀\x7f\"");
}

TEST_CASE("malformed UTF-8 becomes U+FFFD in quoted text") {
  CHECK(quote_json("a\xff" "b") == "\"a\xEF\xBF\xBD" "b\"");
  CHECK(quote_json("\xc0\xaf") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");        // overlong
  CHECK(quote_json("\xed\xa0\x80") == "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");  // surrogate
  CHECK(quote_json("\xf4\x90\x80\x80").size() == 2 + 4 * 3);               // beyond U+10FFFF
  CHECK(quote_json("\xe2\x82") == "\"\xEF\xBF\xBD\"");                    // cut off
  CHECK(quote_json("\xe2\x82\xac") == "\"€\"");
}
