// SentencePiece models whose ids a vocab.json gives, as transformers' MarianTokenizer and M2M100Tokenizer look them up: each piece that the
// model finds, in vocab.json, else <unk>.
#include <doctest/doctest.h>

#include "fixtures.h"

using namespace webformer;
using namespace webformer::fixtures;
using Ids = std::vector<std::int32_t>;

namespace {

using Files = std::map<std::string, std::string_view>;

/// "▁ab" is the likeliest piece, and has no id; "x" and "<pad>" have ids, and are no pieces.
const std::string model = sentencepiece({{"<unk>", 0, 2}, {"</s>", 0, 3}, {"\u2581", -3, 1}, {"\u2581a", -1, 1}, {"b", -2, 1},
                                         {"\u2581ab", -0.5f, 1}});
const std::string vocabulary = R"({"</s>": 0, "<unk>": 1, "\u2581a": 2, "b": 3, "x": 4, "\u2581": 5, "<pad>": 6})";

Tokenizer compiled(const Files& more = {}) {
  Files files{{"source.spm", model}, {"vocab.json", vocabulary}};
  files.insert(more.begin(), more.end());
  return Tokenizer::compile(read_tokenizer(files));
}

std::string refused(std::string_view json) {
  return verdict([&] { read_tokenizer({{"source.spm", model}, {"vocab.json", json}}); });
}

}  // namespace

TEST_CASE("pieces have the ids of vocab.json, and a text ends with </s>") {
  const Tokenizer tokenizer = compiled();
  CHECK(tokenizer.encode("b a").ids == Ids{5, 3, 2, 0});
  CHECK(tokenizer.vocab_size() == 7);
  CHECK(tokenizer.id_of("\u2581ab") == std::nullopt);
}

TEST_CASE("a piece without an id is found, and is the unknown token by itself") {
  CHECK(compiled().encode("ab").ids == Ids{1, 0});
  CHECK(compiled().encode("ab ab").ids == Ids{1, 1, 0});
}

TEST_CASE("a token that is no piece is decoded, but never found") {
  const Tokenizer tokenizer = compiled();
  CHECK(tokenizer.encode("x").ids == Ids{5, 1, 0});
  CHECK(tokenizer.decode(Ids{2, 4, 6, 2, 0}) == "ax a");
}

TEST_CASE("a numbered model goes to another thread whole") {
  const Tokenizer copy = Tokenizer::unpack(compiled().pack());
  CHECK(copy.encode("ab b").ids == Ids{1, 5, 3, 0});
}

TEST_CASE("languages without ids come after the vocabulary, and M2M100 puts one before a text") {
  constexpr std::string_view names = R"({"additional_special_tokens": ["__fr__", "__en__"]})";
  const auto of = [&](std::string_view config) {
    return compiled({{"special_tokens_map.json", names}, {"tokenizer_config.json", config}});
  };
  CHECK(of(R"({"tokenizer_class": "M2M100Tokenizer"})").encode("b").ids == Ids{8, 5, 3, 0});
  CHECK(of(R"({"tokenizer_class": "M2M100Tokenizer", "src_lang": "fr"})").encode("b").ids == Ids{7, 5, 3, 0});
  CHECK(of(R"({"tokenizer_class": "MarianTokenizer"})").encode("b").ids == Ids{5, 3, 0});
}

TEST_CASE("a language that Marian is to translate to is one token, and no text") {
  const std::string json = R"({"</s>": 0, "<unk>": 1, "\u2581a": 2, "b": 3, ">>fra<<": 4, "\u2581": 5})";
  const Tokenizer tokenizer = Tokenizer::compile(read_tokenizer({{"source.spm", model}, {"vocab.json", json}}));
  CHECK(tokenizer.encode(">>fra<< a").ids == Ids{4, 2, 0});
}

TEST_CASE("vocab.json numbers its tokens from 0 without gaps, the unknown one among them") {
  CHECK(refused(R"({"<unk>": 0, "b": 2})") == "invalid_file: vocab.json: token \"b\" has the id 2, 0 to 1 expected, each once");
  CHECK(refused(R"({"a": 0, "b": 1})") == "invalid_file: vocab.json: no id for \"<unk>\", which the SentencePiece model needs");
}
