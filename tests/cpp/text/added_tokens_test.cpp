// Tokens that are looked for in the text. Expected values are those of tokenizers 0.23.3.
#include <doctest/doctest.h>

#include "fixtures.h"

using namespace webformer;
using namespace webformer::fixtures;
using Strings = std::vector<std::string>;

namespace {

Tokenizer with_added(const std::vector<std::string>& tokens) {
  std::string list;
  for (const std::string& token : tokens) list += (list.empty() ? "" : ", ") + token;
  return from_json(bpe(R"("added_tokens": [)" + list + "]"));
}

}  // namespace

TEST_CASE("an added token is one token wherever it stands, the longest at each place") {
  const Tokenizer tokenizer = with_added({added("<a>", 20), added("<a><b>", 21)});
  CHECK(tokens(tokenizer, "low<a>er<a><b>") == Strings{"low", "<a>", "er", "<a><b>"});
  CHECK(tokenizer.encode("low<a>").offsets == Offsets{{0, 3}, {3, 6}});
  CHECK(tokenizer.encode("low<a>").special_mask == std::vector<std::uint8_t>{0, 0});
}

TEST_CASE("lstrip and rstrip take the white space around, but not what another has taken") {
  const Tokenizer tokenizer = with_added({added("<L>", 20, R"("lstrip": true)"), added("<R>", 21, R"("rstrip": true)")});
  CHECK(tokens(tokenizer, "low \t<L> er") == Strings{"low", " \t<L>", "<unk>", "er"});
  CHECK(tokens(tokenizer, "<R>  <L>") == Strings{"<R>  ", "<L>"});
  CHECK(tokenizer.encode("<R>\u3000<L>").offsets == Offsets{{0, 4}, {4, 7}});
}

TEST_CASE("single_word wants no word character beside it") {
  const Tokenizer tokenizer = with_added({added("er", 11, R"("single_word": true)")});
  for (const char* text : {"er", "-er", "\u00b2er", "😀er"}) CHECK(tokenizer.encode(text).ids.back() == 11);
  CHECK(tokens(from_json(bpe(R"("added_tokens": [)" + added("zork", 20, R"("single_word": true)") + "]")), "zork\u200dzork zork") ==
        Strings{"<unk>", "o", "r", "<unk>", "<unk>", "<unk>", "o", "r", "<unk>", "<unk>", "zork"});
}

TEST_CASE("a normalized token is looked for in the normalized text, and normalized itself") {
  const Tokenizer tokenizer = from_json(wordpiece(R"("added_tokens": [)" + added("GRÜE", 20, R"("normalized": true)") + "]"));
  EncodeOptions options;
  options.add_special_tokens = false;
  CHECK(tokenizer.encode("grüe Gru\u0308E", options).ids == std::vector<std::int32_t>{20, 20});
  CHECK(tokenizer.encode("grüe Gru\u0308E", options).offsets == Offsets{{0, 4}, {5, 10}});
  CHECK(tokenizer.decode(std::vector<std::int32_t>{20}, false) == "grue");
}

TEST_CASE("add_tokens numbers new tokens after all others and counts what is new") {
  Tokenizer tokenizer = with_added({added("<a>", 30)});
  CHECK(tokenizer.vocab_size() == 18);
  const std::vector<AddedToken> more{{"<b>", true}, {"low"}, {"<a>", true, false, false, false, false}, {""}, {"<b>", true}};
  CHECK(tokenizer.add_tokens(more) == 2);  // <b> and "low"; <a> is there as it is, "" is none, and <b> comes twice
  CHECK(tokenizer.id_of("<b>") == 31);
  CHECK(tokenizer.id_of("low") == 13);
  CHECK(tokenizer.vocab_size() == 19);
  CHECK(tokens(tokenizer, "lower<b>") == Strings{"low", "er", "<b>"});
  CHECK(tokenizer.decode(std::vector<std::int32_t>{13, 31}) == "low");
}

TEST_CASE("adding tokens leaves copies as they were") {
  Tokenizer tokenizer = from_json(bpe());
  const Tokenizer before = tokenizer;
  tokenizer.add_tokens(std::vector<AddedToken>{{"??"}});
  CHECK(tokens(tokenizer, "??") == Strings{"??"});
  CHECK(tokens(before, "??") == Strings{"<unk>", "<unk>"});
}
