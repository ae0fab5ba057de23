// RELIABILITY.md, section D: any text can be encoded, in time that grows with its length. The numbers are its numbers.
#include <doctest/doctest.h>

#include <chrono>

#include "core/utf8.h"
#include "fixtures.h"

using namespace webformer;
using namespace webformer::fixtures;
using Ids = std::vector<std::int32_t>;

namespace {

const std::string metaspace_bpe = with_model(R"({"type": "BPE", "unk_token": "<unk>", "fuse_unk": true, )"
                                             R"("vocab": {"<unk>": 0, "▁": 1, "a": 2, "aa": 3, "aaaa": 4}, "merges": ["a a", "aa aa"]})",
                                             R"("pre_tokenizer": {"type": "Metaspace", "split": false}, "decoder": {"type": "Metaspace"})");

}  // namespace

TEST_CASE("61: an empty text has the template's tokens, or none") {
  EncodeOptions bare;
  bare.add_special_tokens = false;
  CHECK(from_json(wordpiece()).encode("").ids == Ids{2, 3});
  CHECK(from_json(wordpiece()).encode("", bare).ids == Ids{});
  for (const std::string& json : {bpe(), byte_level(), unigram(), metaspace_bpe}) CHECK(from_json(json).encode("").size() == 0);
}

TEST_CASE("63: malformed UTF-8 becomes U+FFFD once for each maximal part") {
  const Tokenizer tokenizer = from_json(byte_level());
  for (const auto& [bytes, text] : {std::pair("\xff", "\uFFFD"), std::pair("a\xe2\x82", "a\uFFFD"), std::pair("\xc0\xaf", "\uFFFD\uFFFD"),
                                    std::pair("\xed\xa0\x80z", "\uFFFD\uFFFD\uFFFDz"), std::pair("\xf0\x9f\x98", "\uFFFD")}) {
    CHECK(tokenizer.decode(tokenizer.encode(bytes).ids) == text);
  }
  CHECK(tokenizer.encode("\xe2\x82x").offsets == Offsets{{0, 1}, {0, 1}, {0, 1}, {1, 2}});
}

TEST_CASE("64 to 66: a lossless tokenizer gives every text back") {
  const Tokenizer tokenizer = from_json(byte_level());
  std::string marks = "e";
  for (int i = 0; i < 10'000; ++i) marks += "\u0301";
  for (const std::string& text :
       {std::string("a\0b\0", 4), std::string("\uFFFD"), std::string("👨‍👩‍👧‍👦🇰🇷"), marks,
        std::string("שלום עולם\u202e"), std::string("\uFEFFbom\r\n\u00a0\u2028\u2029\x7f"), std::string("\U0010FFFF\uFFFF")}) {
    CHECK(tokenizer.decode(tokenizer.encode(text).ids) == text);
  }
}

TEST_CASE("65, 66: the other kinds take the same texts without complaint") {
  std::string marks = "e";
  for (int i = 0; i < 10'000; ++i) marks += "\u0301\u0323";
  for (const std::string& json : {bpe(R"("normalizer": {"type": "NFC"})"), wordpiece(), unigram(), metaspace_bpe}) {
    const Tokenizer tokenizer = from_json(json);
    for (const std::string& text : {std::string("a\0b", 3), std::string("\uFFFD\uFEFF"), std::string("👨‍👩‍👧‍👦🇰🇷"),
                                    marks, std::string("\r\n\t\u2028\u3000")}) {
      const Encoding encoding = tokenizer.encode(text);
      for (const auto& [begin, end] : encoding.offsets) CHECK((begin <= end && end <= text.size()));
    }
  }
}

TEST_CASE("67: a line of ten megabytes without a space takes time in proportion to its length") {
  const std::string line(10'000'000, 'a');
  for (const std::string& json : {metaspace_bpe, byte_level(), unigram(), wordpiece()}) {
    const Tokenizer tokenizer = from_json(json);
    const auto seconds = [&](std::string_view text) {
      const auto start = std::chrono::steady_clock::now();
      CHECK(tokenizer.encode(text).size() > 0);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    // What is quadratic fails each time; what other programs take of the machine, it does not lose three times.
    bool linear = false;
    for (int attempt = 0; attempt < 3 && !linear; ++attempt) {
      const double tenth = seconds(std::string_view(line).substr(0, 1'000'000)), whole = seconds(line);
      linear = whole < 30 * tenth + 1;
    }
    CHECK(linear);
  }
}

TEST_CASE("68: a special string in the text is one token from a tokenizer.json") {
  CHECK(from_json(byte_level()).encode("a<|end|>").ids == Ids{'a', 300});
}

TEST_CASE("73: offsets count UTF-16 units of the text as it came, whatever the normalizer did") {
  const Tokenizer tokenizer = from_json(wordpiece());
  EncodeOptions options;
  options.add_special_tokens = false;
  CHECK(tokenizer.encode("😀 I\u0301 lo\u0301ve", options).offsets == Offsets{{0, 2}, {3, 4}, {6, 11}});
}
