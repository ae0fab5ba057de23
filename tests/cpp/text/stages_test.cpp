// Normalizers, pre-tokenizers and post-processors one by one. Expected values are those of tokenizers 0.23.3.
#include <doctest/doctest.h>

#include "fixtures.h"

using namespace webformer;
using namespace webformer::fixtures;
using Strings = std::vector<std::string>;

namespace {

/// What a normalizer makes of a text, and the offsets of its characters.
struct Normalized {
  std::string text;
  Offsets offsets;
};
Normalized normalized(const std::string& normalizer, std::string_view text) {
  const std::string by_character = R"j("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(?m:.)"}, "behavior": "Isolated"})j";
  const std::string model = R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0}})";
  const Tokenizer tokenizer = from_json(with_model(model, R"("normalizer": )" + normalizer + ", " + by_character));
  return {tokenizer.trace(text).normalized, tokenizer.encode(text).offsets};
}

Strings words(const std::string& pre_tokenizer, std::string_view text) {
  return from_json(with_model(R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0}})", R"("pre_tokenizer": )" + pre_tokenizer))
      .trace(text)
      .words;
}

std::string split(std::string_view behavior, std::string_view invert = "false") {
  return R"({"type": "Split", "pattern": {"String": "-"}, "behavior": ")" + std::string(behavior) + R"(", "invert": )" +
         std::string(invert) + "}";
}

}  // namespace

TEST_CASE("the normal forms compose, decompose and keep where characters come from") {
  CHECK(normalized(R"({"type": "NFC"})", "e\u0301x").text == "éx");
  CHECK(normalized(R"({"type": "NFC"})", "e\u0301x").offsets == Offsets{{0, 1}, {2, 3}});
  CHECK(normalized(R"({"type": "NFD"})", "한é").text == "\u1112\u1161\u11abe\u0301");
  CHECK(normalized(R"({"type": "NFD"})", "한é").offsets == Offsets{{0, 1}, {0, 1}, {0, 1}, {1, 2}, {1, 2}});
  CHECK(normalized(R"({"type": "NFKC"})", "ﬁ½①").text == "fi1⁄21");
  CHECK(normalized(R"({"type": "NFKD"})", "㎏").text == "kg");
  CHECK(normalized(R"({"type": "NFC"})", "a\u0323\u0307 \u1100\u1161\u11a8").text == "ạ\u0307 각");
  CHECK(normalized(R"({"type": "NFC"})", "a\u0307\u0323").text == "ạ\u0307");
}

TEST_CASE("lower case is by character: no final sigma, and two for a dotted I") {
  CHECK(normalized(R"({"type": "Lowercase"})", "ΣΑΣ İ").text == "σασ i\u0307");
  CHECK(normalized(R"({"type": "Lowercase"})", "İa").offsets == Offsets{{0, 1}, {0, 1}, {1, 2}});
}

TEST_CASE("BertNormalizer cleans, isolates ideographs, strips accents and lowers") {
  CHECK(normalized(R"({"type": "BertNormalizer"})", std::string_view("\u00adÉ\t東\0x", 10)).text == "e  東 x");
  CHECK(normalized(R"({"type": "BertNormalizer", "lowercase": false})", "É").text == "É");
  CHECK(normalized(R"({"type": "BertNormalizer", "lowercase": false, "strip_accents": true})", "É").text == "E");
}

TEST_CASE("an empty text is found between all characters") {
  CHECK(normalized(R"({"type": "Replace", "pattern": {"String": ""}, "content": "-"})", "axxb é").text == "-a-x-x-b- -é-");
  CHECK(normalized(R"({"type": "Replace", "pattern": {"String": ""}, "content": "-"})", "").text == "");
  for (const char* behavior : {"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"}) {
    const std::string stage = std::string(R"({"type": "Split", "pattern": {"String": ""}, "behavior": ")") + behavior + "\"}";
    CHECK(words(stage, "axxb") == Strings{"a", "x", "x", "b"});
  }
}

TEST_CASE("Replace, Prepend and Strip follow what they change") {
  CHECK(normalized(R"({"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": "_"})", "a \t b").text == "a_b");
  CHECK(normalized(R"({"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": "_"})", "a \t b").offsets ==
        Offsets{{0, 1}, {3, 4}, {4, 5}});
  CHECK(normalized(R"({"type": "Prepend", "prepend": "▁"})", "ab").offsets == Offsets{{0, 1}, {0, 1}, {1, 2}});
  CHECK(normalized(R"({"type": "Strip"})", " \u3000a é\n").text == "a é");
  CHECK(normalized(R"({"type": "Strip"})", " \u3000a").offsets == Offsets{{2, 3}});
}

TEST_CASE("Split puts delimiters where its behavior says") {
  CHECK(words(split("Removed"), "the-final--countdown") == Strings{"the", "final", "countdown"});
  CHECK(words(split("Isolated"), "the-final--countdown") == Strings{"the", "-", "final", "-", "-", "countdown"});
  CHECK(words(split("MergedWithPrevious"), "the-final--countdown") == Strings{"the-", "final-", "-", "countdown"});
  CHECK(words(split("MergedWithNext"), "the-final--countdown") == Strings{"the", "-final", "-", "-countdown"});
  CHECK(words(split("Contiguous"), "the-final--countdown") == Strings{"the", "-", "final", "--", "countdown"});
  CHECK(words(split("Removed", "true"), "the-final--countdown") == Strings{"-", "-", "-"});
}

TEST_CASE("the simple pre-tokenizers cut at what they are named after") {
  CHECK(words(R"({"type": "Whitespace"})", "Hey, you\u200d! ²") == Strings{"Hey", ",", "you\u200d", "!", "²"});
  CHECK(words(R"({"type": "WhitespaceSplit"})", " a\u00a0b,\n") == Strings{"a", "b,"});
  CHECK(words(R"({"type": "Punctuation"})", "a,,b") == Strings{"a", ",", ",", "b"});
  CHECK(words(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a,,b") == Strings{"a", ",,", "b"});
  CHECK(words(R"({"type": "Digits", "individual_digits": false})", "a12b٣") == Strings{"a", "12", "b", "٣"});
  CHECK(words(R"({"type": "Digits", "individual_digits": true})", "a12") == Strings{"a", "1", "2"});
  CHECK(words(R"({"type": "CharDelimiterSplit", "delimiter": "x"})", "axbxx") == Strings{"a", "b"});
  CHECK(words(R"({"type": "FixedLength", "length": 2})", "aébcd") == Strings{"aé", "bc", "d"});
  CHECK(words(R"({"type": "BertPreTokenizer"})", "it's $5") == Strings{"it", "'", "s", "$", "5"});
}

TEST_CASE("Metaspace marks spaces, and where a text or a section begins") {
  CHECK(words(R"({"type": "Metaspace"})", "a  b") == Strings{"▁a", "▁", "▁b"});
  CHECK(words(R"({"type": "Metaspace", "prepend_scheme": "never"})", "a b") == Strings{"a", "▁b"});
  CHECK(words(R"({"type": "Metaspace", "split": false})", "a b") == Strings{"▁a▁b"});
  CHECK(words(R"({"type": "Metaspace", "replacement": "_", "str_rep": "_", "add_prefix_space": false})", "a b") == Strings{"a", "_b"});
  CHECK(words(R"({"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"String": "b"}, "behavior": "Isolated"}, )"
              R"({"type": "Metaspace", "prepend_scheme": "first"}]})",
              "abc") == Strings{"▁a", "b", "c"});
}

TEST_CASE("a ByteLevel that is followed by others spells the bytes out") {
  CHECK(words(R"({"type": "Sequence", "pretokenizers": [{"type": "ByteLevel", "add_prefix_space": true, "use_regex": false}, )"
              R"({"type": "Digits", "individual_digits": true}]})",
              "é2") == Strings{"ĠÃ©", "2"});
}

TEST_CASE("templates put tokens around one text and two") {
  const Tokenizer tokenizer = from_json(bpe(R"("post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "B", "type_id": 2}}, {"SpecialToken": {"id": "<s>", "type_id": 3}},
      {"Sequence": {"id": "A", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [20, 21], "tokens": ["<s>", "<t>"]}}})"));
  CHECK(tokens(tokenizer, "low") == Strings{"<s>", "<t>", "low"});
  EncodeOptions options;
  options.pair = "er";
  const Encoding pair = tokenizer.encode("low", options);
  CHECK(pair.ids == std::vector<std::int32_t>{11, 20, 21, 13});
  CHECK(pair.type_ids == std::vector<std::int32_t>{2, 3, 3, 1});
  CHECK(pair.special_mask == std::vector<std::uint8_t>{0, 1, 1, 0});
  options.add_special_tokens = false;
  CHECK(tokenizer.encode("low", options).ids == std::vector<std::int32_t>{11, 13});
}

TEST_CASE("without a template the second text has type 1") {
  EncodeOptions options;
  options.pair = "er";
  CHECK(from_json(bpe()).encode("low", options).type_ids == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("trimmed offsets leave a token's spaces out") {
  const Tokenizer tokenizer =
      from_json(byte_level(R"("post_processor": {"type": "ByteLevel", "trim_offsets": true, "add_prefix_space": false})"));
  CHECK(tokenizer.encode("x the ").offsets == Offsets{{0, 1}, {2, 5}, {6, 6}});
}
