// A tokenizer as one flat block.
#include <doctest/doctest.h>

#include <span>

#include "fixtures.h"
#include "text/spec_archive.h"

using namespace webformer;
using namespace webformer::fixtures;

namespace {

const std::string all_stages = bpe(
    R"j("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "BertNormalizer", "lowercase": false},
    {"type": "Strip"}, {"type": "Replace", "pattern": {"Regex": "x+"}, "content": "e"}, {"type": "Nmt"},
    {"type": "Prepend", "prepend": "l"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}, {"type": "Digits"}, {"type": "Punctuation"},
    {"type": "FixedLength", "length": 9}, {"type": "CharDelimiterSplit", "delimiter": "/"}]},
  "post_processor": {"type": "TemplateProcessing", "pair": [],
    "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<s>", "type_id": 0}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
  "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
  "truncation": {"max_length": 8, "stride": 1, "strategy": "OnlyFirst", "direction": "Left"},
  "padding": {"strategy": {"Fixed": 4}, "direction": "Left", "pad_id": 3, "pad_token": "<p>", "pad_type_id": 1, "pad_to_multiple_of": 2},
  "added_tokens": [{"id": 40, "content": "<x>", "special": true, "lstrip": true}])j");

}  // namespace

TEST_CASE("an unpacked tokenizer is the packed one") {
  for (const std::string& json : {bpe(), byte_level(), wordpiece(), unigram(), all_stages}) {
    const Tokenizer tokenizer = from_json(json);
    const std::vector<std::byte> packed = tokenizer.pack();
    const Tokenizer again = Tokenizer::unpack(packed);
    for (const char* text : {"", "lower unaffable the <x> abcd", "é😀 ▁a", "new12.er/low"}) {
      CHECK(again.encode(text).ids == tokenizer.encode(text).ids);
      CHECK(again.encode(text).offsets == tokenizer.encode(text).offsets);
      CHECK(again.decode(again.encode(text).ids) == tokenizer.decode(tokenizer.encode(text).ids));
    }
    CHECK(again.vocab_size() == tokenizer.vocab_size());
    CHECK(again.special() == tokenizer.special());
    CHECK(again.pack() == packed);
  }
}

TEST_CASE("tokens that were added later are packed as well") {
  Tokenizer tokenizer = from_json(bpe());
  tokenizer.add_tokens(std::vector<AddedToken>{{"<new>", true}});
  CHECK(tokens(Tokenizer::unpack(tokenizer.pack()), "low<new>") == std::vector<std::string>{"low", "<new>"});
}

TEST_CASE("a block that is cut, or longer, or none, is invalid_file") {
  const std::vector<std::byte> packed = from_json(all_stages).pack();
  for (std::size_t size = 0; size < packed.size(); ++size) {
    CHECK(verdict([&] { Tokenizer::unpack(std::span(packed).first(size)); }).starts_with("invalid_file: packed tokenizer: "));
  }
  std::vector<std::byte> longer = packed;
  longer.push_back(std::byte{0});
  CHECK(verdict([&] { Tokenizer::unpack(longer); }) == "invalid_file: packed tokenizer: something is behind its end");
}

TEST_CASE("a block with any byte changed is refused, or a tokenizer that does no harm") {
  for (const std::string& json : {all_stages, wordpiece(), unigram()}) {
    std::vector<std::byte> packed = from_json(json).pack();
    const std::size_t step = packed.size() / 3000 + 1;
    for (std::size_t at = 0; at < packed.size(); at += step) {
      for (const int change : {1, 0x80, 0xff}) {
        const std::byte before = std::exchange(packed[at], packed[at] ^ std::byte(change));
        const std::string result = verdict([&] {
          const Tokenizer tokenizer = Tokenizer::unpack(packed);
          const Encoding encoding = tokenizer.encode("lower unaffable abcd é ▁a");
          tokenizer.decode(encoding.ids);
        });
        CHECK_MESSAGE((result.empty() || !result.starts_with("internal_error")), result);
        packed[at] = before;
      }
    }
  }
}
