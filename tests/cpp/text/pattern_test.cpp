// The pattern engine. Expected matches are Oniguruma's (through tokenizers 0.23.3's Split), unless a case says otherwise.
#include "text/pattern.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "core/error.h"
#include "fixtures.h"

using namespace webformer;
using fixtures::verdict;

namespace {

std::vector<std::string> matches(std::string_view pattern, std::string_view text) {
  std::vector<PatternMatch> found;
  Pattern::compile(pattern, "test").find_all(text, found);
  std::vector<std::string> result;
  for (const PatternMatch& match : found) result.emplace_back(text.substr(match.begin, match.end - match.begin));
  return result;
}

std::string refusal(std::string_view pattern) {
  return verdict([&] { Pattern::compile(pattern, "tokenizer.json: .pre_tokenizer"); });
}

using Strings = std::vector<std::string>;
constexpr std::string_view gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

}  // namespace

TEST_CASE("the first alternative that leads to a match wins, not the longest") {
  CHECK(matches("a|ab", "ab") == Strings{"a"});
  CHECK(matches("(?:a|ab)(?:c|bcd)", "abcd") == Strings{"abcd"});
  CHECK(matches("(?:ab|a)b?c", "abbc abc") == Strings{"abbc", "abc"});
}

TEST_CASE("greedy quantifiers take as much as leads to a match, lazy ones as little") {
  CHECK(matches("a+ab", "aaab") == Strings{"aaab"});
  CHECK(matches("<.+?>", "<a><b>") == Strings{"<a>", "<b>"});
  CHECK(matches("<.+>", "<a><b>") == Strings{"<a><b>"});
  CHECK(matches("a{2,3}", "aaaaa") == Strings{"aaa", "aa"});
  CHECK(matches("a{2,3}?", "aaaa") == Strings{"aa", "aa"});
}

TEST_CASE("a possessive quantifier gives nothing back") {
  CHECK(matches("a++a", "aaa").empty());
  CHECK(matches("a?+a", "a aa") == Strings{"aa"});
  CHECK(matches("[ab]*+b", "abab").empty());
  CHECK(matches("(?>a+)b", "aab") == Strings{"aab"});
}

TEST_CASE("in Ruby's syntax {n,m}+ repeats the interval and {n}? makes it optional") {
  CHECK(matches("\\d{1,3}+", "12345") == Strings{"12345"});
  CHECK(matches("xa{2}?", "xa xaa") == Strings{"x", "xaa"});
}

TEST_CASE("a lookahead looks without taking, at any length") {
  CHECK(matches("a(?=bc)", "abc abd") == Strings{"a"});
  CHECK(matches("\\s+(?!\\S)", "a   b  ") == Strings{"  ", "  "});
  CHECK(matches("a(?!b*c)", "abbc abbd a") == Strings{"a", "a"});
  CHECK(matches("(?=(?!ab)a).", "ab ac") == Strings{"a"});
}

TEST_CASE("assertions know the borders of text, lines and words") {
  CHECK(matches("^a", "a\na") == Strings{"a", "a"});
  CHECK(matches("a$", "a\na") == Strings{"a", "a"});
  CHECK(matches("\\Aa", "aa") == Strings{"a"});
  CHECK(matches("a\\z", "aa") == Strings{"a"});
  CHECK(matches("\\bfoo\\b", "foo food foo.") == Strings{"foo", "foo"});
  CHECK(matches("o\\B", "foo") == Strings{"o"});
}

TEST_CASE("classes nest, intersect and are negated") {
  CHECK(matches("[a-z&&[^aeiou]]+", "hello") == Strings{"h", "ll"});
  CHECK(matches("[^\\S\\n]+", " \t\n ") == Strings{" \t", " "});
  CHECK(matches(" ?[^(\\s|[.,!?…。，、।۔،])]+", "a b,c|d") == Strings{"a", " b", "c", "d"});  // BLOOM's: ( | ) are members
  CHECK(matches("[\\p{L}--]+", "a-é") == Strings{"a-é"});
  CHECK(matches("\\p{^L}\\P{L}", "a12b") == Strings{"12"});
  CHECK(matches("[[:space:]\\h]+", "x \tF9") == Strings{" \tF9"});
}

TEST_CASE("properties, and classes in brackets, hold what Oniguruma has of Unicode 16") {  // as tokenizers 0.23.3 splits this text
  const auto found = [](std::string_view pattern) { return matches(pattern, "a€,²ⅣaªǅͅA٣ \u00ad\u200b\t\u3000中\U000323b0A\ua7ce"); };
  CHECK(found("[[:punct:]]+") == Strings{"€,"});
  CHECK(found("\\p{Punct}+") == Strings{","});
  CHECK(found("[[:word:]]+") == Strings{"a", "ⅣaªǅͅA٣", "中", "A"});
  CHECK(found("\\w+") == Strings{"a", "²ⅣaªǅͅA٣", "中", "A"});
  CHECK(found("\\p{Upper}+") == Strings{"Ⅳ", "A", "A"});
  CHECK(found("\\p{Lower}+") == Strings{"a", "aª", "ͅ"});
  CHECK(found("\\p{Alpha}+") == Strings{"a", "ⅣaªǅͅA", "中", "A"});
  CHECK(found("[[:alnum:]]+") == Strings{"a", "ⅣaªǅͅA٣", "中", "A"});
  CHECK(found("[[:graph:]]+") == Strings{"a€,²ⅣaªǅͅA٣", "\u00ad\u200b", "中", "A"});
  CHECK(found("\\p{Print}+") == Strings{"a€,²ⅣaªǅͅA٣ \u00ad\u200b", "\u3000中", "A"});
  CHECK(found("\\p{Han}+") == Strings{"中"});
  CHECK(found("\\p{Latin}+") == Strings{"a", "Ⅳaªǅ", "A", "A"});
}

TEST_CASE("without regard to case, characters of one simple case folding are the same") {
  CHECK(matches("(?i:'ll|[sk])", "'LL 'lL S ſ K") == Strings{"'LL", "'lL", "S", "ſ", "K"});
  CHECK(matches("(?i)ÄB(?-i)c", "äbc äbC") == Strings{"äbc"});
  CHECK(matches("a(?i)b|c", "aB aC") == Strings{"aB", "aC"});
}

TEST_CASE("GPT-2's pattern cuts words with their space, and leaves one space before a word") {
  CHECK(matches(gpt2, "I'm  here, 42x!\n\n") == Strings{"I", "'m", " ", " here", ",", " 42", "x", "!", "\n\n"});
  CHECK(matches(gpt2, "I'M") == Strings{"I", "'", "M"});
  CHECK(matches(gpt2, "   ") == Strings{"   "});
}

TEST_CASE("LLaMA 3's pattern takes up to three digits and contractions of any case") {
  CHECK(matches(llama3, "I'LL pay 12345 (now)\r\n x") == Strings{"I", "'LL", " pay", " ", "123", "45", " (", "now", ")\r\n", " x"});
}

TEST_CASE("an empty match is taken once, and not after another match") {
  std::vector<PatternMatch> found;
  Pattern::compile("a*", "test").find_all("baa", found);
  CHECK(found == std::vector<PatternMatch>{{0, 0}, {1, 3}});
}

TEST_CASE("what is not built is refused by name") {
  CHECK(refusal("(a)\\1").find("unsupported_model: tokenizer.json: .pre_tokenizer: the pattern \"(a)\\1\" has a backreference \\1") == 0);
  CHECK(refusal("(?<=a)b").find("a lookbehind") != std::string::npos);
  CHECK(refusal("(?<!a)b").find("a lookbehind") != std::string::npos);
  CHECK(refusal("(?>a|ab)c").find("atomic group of more than one character") != std::string::npos);
  CHECK(refusal("(?:ab)++").find("possessive quantifier") != std::string::npos);
  CHECK(refusal("\\X").find("\\X") != std::string::npos);
  CHECK(refusal("\\p{Klingon}").find("\\p{Klingon}") != std::string::npos);
  CHECK(refusal("a{2000}").find("over 1000") != std::string::npos);
  CHECK(refusal("(?:(?:a{1000}){1000}){1000}").find("too many parts") != std::string::npos);
  CHECK(refusal(std::string(1000, '(')).find("nested over 100") != std::string::npos);
}

TEST_CASE("wrong syntax is invalid_file with the place") {
  CHECK(refusal("a)b") == "invalid_file: tokenizer.json: .pre_tokenizer: the pattern \"a)b\" has a ) without its (, at byte 1");
  for (const char* pattern : {"(a", "[a", "a**b)", "*a", "[b-a]", "\\x{110000}", "\\u12", "\\p{L", "\xff", "a{3,2}", "\\"})
    CHECK(refusal(pattern).find("invalid_file") == 0);
}

TEST_CASE("catastrophic patterns take time in proportion to the text") {
  const std::string text(1'000'000, 'a');
  const auto start = std::chrono::steady_clock::now();
  CHECK(matches("(a+)+$", text).size() == 1);
  CHECK(matches("(a+)+b", text).empty());
  CHECK(matches("(a|aa)+c|a", text).size() == 1'000'000);
  CHECK(matches("(?:a|b)*c(?:a|b){30}d|a{1000}", text).size() == 1000);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a text of many blocks gives the matches of its parts") {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += i % 7 == 0 ? "안녕 " : i % 5 == 0 ? "12345" : " word's";
  std::string joined;
  for (const std::string& match : matches(gpt2, text)) joined += match;
  CHECK(joined == text);
  CHECK(matches("[^x]+x?", text).size() == 1);
}
