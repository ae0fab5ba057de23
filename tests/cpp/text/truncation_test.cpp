// Truncation, overflow and padding. Expected values are those of tokenizers 0.23.3.
#include <doctest/doctest.h>

#include "fixtures.h"

using namespace webformer;
using namespace webformer::fixtures;
using Ids = std::vector<std::int32_t>;

namespace {

/// Ten words i, and [CLS] [SEP].
const std::string ten = "i i i i i i i i i i";

EncodeOptions truncated(std::size_t length, std::size_t stride = 0, Side direction = Side::right) {
  EncodeOptions options;
  options.truncation = Truncation{length, stride, TruncationStrategy::longest_first, direction};
  return options;
}

std::vector<std::size_t> part_begins(const Encoding& encoding) {
  std::vector<std::size_t> result{encoding.offsets[1][0] / 2};
  for (const Encoding& part : encoding.overflow) result.push_back(part.offsets[1][0] / 2);
  return result;
}

}  // namespace

TEST_CASE("the length counts the template's tokens, and the rest overflows in parts of the same length") {
  const Encoding encoding = from_json(wordpiece()).encode(ten, truncated(6));
  CHECK(encoding.size() == 6);
  CHECK(part_begins(encoding) == std::vector<std::size_t>{0, 4, 8});
  CHECK(encoding.overflow.back().ids == Ids{2, 10, 10, 3});
}

TEST_CASE("each part repeats `stride` tokens of the one before") {
  CHECK(part_begins(from_json(wordpiece()).encode(ten, truncated(6, 2))) == std::vector<std::size_t>{0, 2, 4, 6});
  CHECK(part_begins(from_json(wordpiece()).encode(ten, truncated(6, 1, Side::left))) == std::vector<std::size_t>{6, 3, 0});
}

TEST_CASE("of two texts the longer one is cut first, and both alike where both are too long") {
  EncodeOptions options = truncated(9);
  options.pair = "i i";
  const Tokenizer tokenizer = from_json(wordpiece());
  CHECK(tokenizer.encode(ten, options).type_ids == Ids{0, 0, 0, 0, 0, 0, 1, 1, 1});
  options.pair = ten;
  CHECK(tokenizer.encode(ten, options).type_ids == Ids{0, 0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("the overflow of a pair is every part of one with every part of the other") {
  EncodeOptions options = truncated(9);
  options.pair = ten;
  CHECK(from_json(wordpiece()).encode(ten, options).overflow.size() == 4 * 4 - 1);  // 10 tokens in parts of 3 and of 3
}

TEST_CASE("only_first and only_second refuse a text that is too short") {
  EncodeOptions options = truncated(6);
  options.pair = "i i i";
  const Tokenizer tokenizer = from_json(wordpiece());
  options.truncation->strategy = TruncationStrategy::only_first;
  CHECK(verdict([&] { tokenizer.encode("i", options); }).find("invalid_argument: truncation.strategy is only_first") == 0);
  options.truncation->strategy = TruncationStrategy::only_second;
  CHECK(tokenizer.encode("i", options).type_ids == Ids{0, 0, 0, 1, 1, 1});
  options.pair.reset();
  CHECK(verdict([&] { tokenizer.encode(ten, options); }).find("there is no second text") != std::string::npos);
}

TEST_CASE("no room for the template, or none beside the stride, is refused with both numbers") {
  const Tokenizer tokenizer = from_json(wordpiece());
  CHECK(verdict([&] { tokenizer.encode("i", truncated(1)); }) ==
        "invalid_argument: truncation.maxLength is 1, 2 and more expected, the tokens that are put around the text");
  CHECK(verdict([&] { tokenizer.encode("i", truncated(6, 4)); }) ==
        "invalid_argument: truncation.stride is 4, below 4 expected, the room for the text");
  CHECK(tokenizer.encode("i", truncated(2)).ids == Ids{2, 3});
}

TEST_CASE("an overflow of too many tokens is refused before it is made") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "i ";
  CHECK(verdict([&] {
          from_json(wordpiece()).encode(text, truncated(10'002, 9'999));
        }).find("invalid_argument: truncation: 10001 parts of 10002 tokens") == 0);
}

TEST_CASE("padding fills up on its side, to the longest, to a length or to a multiple") {
  const Tokenizer tokenizer = from_json(wordpiece());
  EncodeOptions options;
  options.padding = Padding{};
  const std::vector<std::pair<std::string_view, std::optional<std::string_view>>> texts{{"i", {}}, {"i love", {}}};
  const std::vector<Encoding> rows = tokenizer.encode_batch(texts, options);
  CHECK(rows[0].ids == Ids{2, 10, 3, 0});
  CHECK(rows[0].attention_mask == std::vector<std::uint8_t>{1, 1, 1, 0});
  CHECK(rows[0].special_mask == std::vector<std::uint8_t>{1, 0, 1, 1});
  CHECK(tokenizer.token_text(rows[0], 3) == "[PAD]");
  CHECK(rows[1].ids == Ids{2, 10, 11, 3});
  options.padding->length = 5;
  options.padding->direction = Side::left;
  options.padding->type_id = 7;
  CHECK(tokenizer.encode("i", options).ids == Ids{0, 0, 2, 10, 3});
  CHECK(tokenizer.encode("i", options).type_ids == Ids{7, 7, 0, 0, 0});
  options.padding = Padding{.multiple_of = 4, .id = 9};
  CHECK(tokenizer.encode("i love i", options).ids == Ids{2, 10, 11, 10, 3, 9, 9, 9});
}

TEST_CASE("padding with a token that the vocabulary does not have shows it all the same") {
  EncodeOptions options;
  options.padding = Padding{.length = 4, .token = "<pad>"};
  const Tokenizer tokenizer = from_json(bpe());
  CHECK(tokens(tokenizer, "low", options) == std::vector<std::string>{"low", "<pad>", "<pad>", "<pad>"});
  options.padding->direction = Side::left;
  CHECK(tokens(tokenizer, "?low", options) == std::vector<std::string>{"<pad>", "<pad>", "<unk>", "low"});
}

TEST_CASE("padding beyond all reason is refused") {
  EncodeOptions options;
  options.padding = Padding{.length = std::size_t(1) << 31};
  CHECK(verdict([&] { from_json(bpe()).encode("low", options); }).find("invalid_argument: padding: a length of") == 0);
}
