#include "formats/json.h"

#include <doctest/doctest.h>

#include <random>

#include "core/error.h"
#include "formats/json_scan.h"

using namespace webformer;

namespace {

JsonDocument parse(std::string_view text) { return JsonDocument::parse(text, "config.json"); }

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.message();
  }
  return "no error";
}

std::string parse_message(std::string_view text) {
  return message_of([&] { parse(text); });
}

}  // namespace

TEST_CASE("every kind of JSON value is told apart and read") {
  const JsonDocument document = parse(R"({"a": [true, false, null, 7, -2.5, "x", {}], "b": {"c": {"d": 1}}})");
  const Json root = document.root();
  const std::vector<Json> items = root["a"].items();
  REQUIRE(items.size() == 7);
  CHECK(items[0].get_bool());
  CHECK_FALSE(items[1].get_bool());
  CHECK(items[2].is_null());
  CHECK_FALSE(items[2].is_missing());
  CHECK(items[3].get_integer() == 7);
  CHECK(items[3].get_number() == 7.0);
  CHECK(items[4].get_number() == -2.5);
  CHECK(items[5].get_string() == "x");
  CHECK(items[6].is_object());
  CHECK(items[6].members().empty());
  CHECK(root["b"]["c"]["d"].get_integer() == 1);
  CHECK(root["a"].is_array());
  CHECK(root.file() == "config.json");
}

TEST_CASE("a scalar alone is a JSON document") {
  CHECK(parse("3").root().get_integer() == 3);
  CHECK(parse(" \"x\" ").root().get_string() == "x");
  CHECK(parse("null").root().is_null());
}

TEST_CASE("a byte order mark before JSON text is skipped") { CHECK(parse("\xEF\xBB\xBF{\"a\": 1}").root()["a"].get_integer() == 1); }

TEST_CASE("a document may be dropped into a variable and copied while its handles live on") {
  JsonDocument kept;
  Json value;
  {
    JsonDocument document = parse(R"({"a": "text"})");
    value = document.root()["a"];
    kept = document;
  }
  CHECK(value.get_string() == "text");
}

TEST_CASE("whole numbers are exact up to 64 bits") {
  const JsonDocument document = parse(
      "[9223372036854775807, -9223372036854775808, 9007199254740993, 9223372036854775808, 18446744073709551615, 3.0, 1e3, 3.5]");
  const auto items = document.root().items();
  CHECK(items[0].get_integer() == INT64_MAX);
  CHECK(items[1].get_integer() == INT64_MIN);
  CHECK(items[2].get_integer() == 9007199254740993);  // 2^53 + 1, which no double holds
  CHECK(message_of([&] { items[3].get_integer(); }) ==
        "invalid_file: config.json: [3] is 9223372036854775808, a whole number of 64 bits expected");
  CHECK(items[4].get_number() == 18446744073709551615.0);
  CHECK(items[5].get_integer() == 3);
  CHECK(items[6].get_integer() == 1000);
  CHECK(message_of([&] { items[7].get_integer(); }) == "invalid_file: config.json: [7] is 3.5, a whole number expected");
}

TEST_CASE("whole numbers beyond 64 bits are read as the nearest double") {
  // tokenizer_config.json of most Hugging Face models: int(1e30)
  const JsonDocument document = parse(
      R"({"a": 1000000000000000019884624838656, "b": [-18446744073709551616], "c": "99999999999999999999999", "d": 18446744073709551616})");
  const Json root = document.root();
  CHECK(root["a"].get_number() == 1e30);
  CHECK(root["b"].items()[0].get_number() == -18446744073709551616.0);
  CHECK(root["c"].get_string() == "99999999999999999999999");
  CHECK(root["d"].get_number() == 18446744073709551616.0);
  CHECK(message_of([&] { root["a"].get_integer(); }) == "invalid_file: config.json: a is 1e+30, a whole number of 64 bits expected");
}

TEST_CASE("numbers round to the nearest double, and one beyond its range is refused") {
  CHECK(parse("0.1").root().get_number() == 0.1);
  CHECK(parse("2.2250738585072011e-308").root().get_number() == 2.2250738585072011e-308);
  CHECK(parse("1e-400").root().get_number() == 0.0);
  CHECK(parse("1.7976931348623157e308").root().get_number() == 1.7976931348623157e308);
  CHECK(parse_message("1e400") == "invalid_file: config.json: a number beyond the range of double precision");
  CHECK(parse_message(std::string(400, '9')) == "invalid_file: config.json: a number beyond the range of double precision");
}

TEST_CASE("sizes are whole numbers of 0 to 2^53 as written") {
  const JsonDocument document = parse(R"([0, 9007199254740992, 9007199254740993, -1, 1.0, 1e3, "1", null, 18446744073709551615])");
  const auto items = document.root().items();
  CHECK(items[0].get_size() == 0);
  CHECK(items[1].get_size() == 9007199254740992);
  for (std::size_t i = 2; i < items.size(); ++i) CHECK_THROWS_AS(items[i].get_size(), Error);
}

TEST_CASE("escapes in strings are resolved, NUL and emoji included") {
  const std::string expected = std::string("a\"\\/\b\f\n\r\t", 9) + std::string("\0", 1) + "\xC3\xA9\xF0\x9F\x98\x80";
  CHECK(parse(R"("a\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude00")").root().get_string() == expected);
}

TEST_CASE("a member is found by name, the last of twins, and all twins are listed") {
  const JsonDocument document = parse(R"({"a": 1, "b": 2, "a": 3})");
  const Json root = document.root();
  CHECK(root["a"].get_integer() == 3);
  const auto members = root.members();
  REQUIRE(members.size() == 3);
  CHECK(members[0].first == "a");
  CHECK(members[0].second.get_integer() == 1);
  CHECK(members[1].first == "b");
  CHECK(members[2].second.get_integer() == 3);
}

TEST_CASE("missing values are missing all the way down, and say where") {
  const JsonDocument document = parse(R"({"a": {"b": null}})");
  const Json root = document.root();
  CHECK(root["x"].is_missing());
  CHECK(root["x"]["y"]["z"].is_missing());
  CHECK(root["a"]["b"]["c"].is_missing());
  CHECK_FALSE(root.has("x"));
  CHECK_FALSE(root["a"].has("b"));
  CHECK(root["x"].to_json() == "null");
  CHECK(message_of([&] { root["x"].get_string(); }) == "invalid_file: config.json: x is missing, a string expected");
  CHECK(message_of([&] { root["x"]["y z"].items(); }) == R"(invalid_file: config.json: x["y z"] is missing, an array expected)");
  CHECK(message_of([&] { root["a"]["b"]["c"].get_number(); }) == "invalid_file: config.json: a.b.c is missing, a number expected");
  CHECK(message_of([&] { root["a"]["b"].get_bool(); }) == "invalid_file: config.json: a.b is null, true or false expected");
  CHECK(Json().is_missing());
  CHECK_THROWS_AS(Json().get_bool(), Error);
  CHECK(Json()["a"]["b"].is_missing());
}

TEST_CASE("defaults stand in for what is missing or null, not for what is wrong") {
  const JsonDocument document = parse(R"({"n": null, "i": 3, "d": 0.5, "b": true, "s": "x"})");
  const Json root = document.root();
  CHECK(root.get_or("n", 4) == 4);
  CHECK(root.get_or("x", 0.25) == 0.25);
  CHECK(root.get_or("i", 4) == 3);
  CHECK(root.get_or("i", 1.5) == 3.0);
  CHECK(root.get_or("d", 1.5) == 0.5);
  CHECK(root.get_or("b", false));
  CHECK(root.get_or("s", "y") == "x");
  CHECK(root.get_or("t", "y") == "y");
  CHECK_THROWS_AS(root.get_or("s", 1), Error);
  CHECK_THROWS_AS(root.get_or("d", 1), Error);
  CHECK_THROWS_AS(root.get_or("i", true), Error);
}

TEST_CASE("an error names the path of the value, what it is, and what it should be") {
  const JsonDocument document = parse(R"({"model": {"vocab": [["a", 0], ["b", "one"]], "the \"name\"": {"x": {}}}})");
  const Json vocab = document.root()["model"]["vocab"];
  const Json one = vocab.items()[1].items()[1];
  CHECK(one.path() == "model.vocab[1][1]");
  CHECK(message_of([&] { one.get_integer(); }) == R"(invalid_file: config.json: model.vocab[1][1] is "one", a whole number expected)");
  CHECK(document.root()["model"]["the \"name\""]["x"].path() == R"(model["the \"name\""].x)");
  CHECK(document.root().path() == "the document");
  CHECK(message_of([&] { vocab["a"]; }) == "invalid_file: config.json: model.vocab is an array, an object expected");
  CHECK(message_of([&] { document.root().items(); }) == "invalid_file: config.json: the document is an object, an array expected");
}

TEST_CASE("values are written as compact JSON that reads back the same") {
  const char* text = R"({"a":[1,-2,18446744073709551615,0.5,1e-12,3.0,true,false,null,"\n\u0001é"],"b":{},"c":[],"d":{"e":[[]]}})";
  const JsonDocument document = parse(text);
  CHECK(document.root().to_json() == text);
  CHECK(document.root()["a"].items()[9].to_json() == "\"\\n\\u0001é\"");
  CHECK(document.root()["d"].to_json() == R"({"e":[[]]})");
}

TEST_CASE("text that is not exactly one JSON value is refused with the byte position") {
  const std::string start = "invalid_file: config.json: byte ";
  CHECK(parse_message("") == "invalid_file: config.json: 0 bytes, JSON text expected");
  CHECK(parse_message("  ") == start + "2: the end found, a value expected");
  CHECK(parse_message("{\"a\": 1") == start + "7: the end found, a comma or a closing brace expected");
  CHECK(parse_message("[1, 2") == start + "5: the end found, a comma or a closing bracket expected");
  CHECK(parse_message("{\"a\": 1} x") == start + "9: \"x\" found, the end of the text expected");
  CHECK(parse_message("{} {}") == start + "3: \"{\" found, the end of the text expected");
  CHECK(parse_message("[1,]") == start + "3: \"]\" found, a value expected");
  CHECK(parse_message("{\"a\":1,}") == start + "7: \"}\" found, a name in quotes expected");
  CHECK(parse_message("{a: 1}") == start + "1: \"a\" found, a name in quotes expected");
  CHECK(parse_message("{\"a\" 1}") == start + "5: \"1\" found, a colon expected");
  CHECK(parse_message("<!DOCTYPE html>") == start + "0: \"<\" found, a value expected");
  CHECK(parse_message("[tru]") == start + "1: \"t\" found, a value expected");
  CHECK(parse_message("[NaN]") == start + "1: \"N\" found, a value expected");
  CHECK(parse_message("[01]") == start + "2: \"1\" found, a comma or a closing bracket expected");
  CHECK(parse_message("[-]") == start + "2: \"]\" found, a digit expected");
  CHECK(parse_message("[1.]") == start + "3: \"]\" found, a digit expected");
  CHECK(parse_message("[1e]") == start + "3: \"]\" found, a digit expected");
  CHECK(parse_message("\"abc") == start + "4: the end found, a closing quote expected");
  CHECK(parse_message("\"a\nc\"") == start + "2: \"\\n\" found, an escaped control character expected");
  CHECK(parse_message("\"\\x\"") == start + "2: \"x\" found, an escaped character expected");
  CHECK(parse_message("\"\\u12g4\"") == start + "3: \"1\" found, four hexadecimal digits expected");
  CHECK(parse_message("\"a\xff\"") == start + "2: \"\xEF\xBF\xBD\" found, UTF-8 expected");
  CHECK(parse_message("\"\\ud800\"") == start + "7: \"\\\"\" found, a low surrogate expected");
  CHECK(parse_message("\"\\ud800\\ud800\"") == start + "13: \"\\\"\" found, a low surrogate expected");
  CHECK(parse_message("\"\\udc00\"") == start + "7: \"\\\"\" found, a high surrogate first expected");
}

TEST_CASE("nesting is read to 512 levels and refused beyond, however deep it is") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); };
  CHECK(parse_message(nested(512)) == "no error");
  CHECK(parse_message(nested(513)) == "invalid_file: config.json: byte 512: \"[\" found, less nesting expected");
  CHECK(parse_message(nested(100000)) == "invalid_file: config.json: byte 512: \"[\" found, less nesting expected");
  CHECK(parse_message(std::string(100000, '[')) == "invalid_file: config.json: byte 512: \"[\" found, less nesting expected");
}

TEST_CASE("the scan that tells where a fault is agrees with simdjson on whether there is one") {
  const std::string parent = R"({"a": [1, -2.5e3, "x\n\u00e9\ud83d\ude00"], "b": {"c": null, "d": true}, "e": [[], {}, 12]})";
  constexpr std::string_view replacements = "{}[]\",:\\0129.eE+-u \n\x01\xff\xc3\xa9tfn";
  std::mt19937 random(7);
  int accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    std::string text = parent;
    for (unsigned edits = 1 + random() % 2; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = replacements[random() % replacements.size()]; break;
        case 1: text.erase(at, 1 + random() % 3); break;
        case 2: text.insert(at, 1, replacements[random() % replacements.size()]); break;
      }
    }
    const std::string message = parse_message(text);
    const bool by_simdjson = message == "no error" || message.find("range of double") != std::string::npos;
    const bool by_scan = scan_json(text, 512).expected.empty();
    REQUIRE_MESSAGE(by_simdjson == by_scan, text << "  " << message);
    accepted += by_scan;
  }
  CHECK(accepted > 10000);
  CHECK(accepted < 190000);
}
