#include "core/utf8.h"

#include <doctest/doctest.h>

using namespace webformer;

TEST_CASE("each maximal malformed part becomes one U+FFFD (Unicode 3.9, table 3-8)") {
  CHECK(repair_utf8("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64") == "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  CHECK(repair_utf8("\xC0\xAF") == "\uFFFD\uFFFD");                      // overlong
  CHECK(repair_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");            // a surrogate
  CHECK(repair_utf8("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
  CHECK(repair_utf8("eight bytes of text\xE2\x82") == "eight bytes of text\uFFFD");
}

TEST_CASE("each byte can become a U+FFFD of its own, and the places are told") {
  std::vector<std::uint32_t> places;
  CHECK(repair_utf8("a\xE2\x82z", Utf8Repair::each_byte, &places) == "a\uFFFD\uFFFDz");
  CHECK(places == std::vector<std::uint32_t>{1, 4});
}

TEST_CASE("well-formed text is left alone") {
  for (const char* text : {"", "abc", "é\u07FF\u0800\uFFFF\U00010000\U0010FFFF", "\uFFFD"}) CHECK_FALSE(repair_utf8(text));
}

TEST_CASE("every code point is written and read back") {
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x3000 ? 1 : 97) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const std::string text = to_utf8(c);
    std::size_t at = 0;
    CHECK(next_code_point(text, at) == c);
    CHECK(at == text.size());
    CHECK(utf8_width(text[0]) == text.size());
    CHECK(previous_code_point(text, text.size()) == 0);
  }
}
