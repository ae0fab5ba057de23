// The models on small vocabularies.
#include <doctest/doctest.h>

#include "fixtures.h"

using namespace webformer;
using namespace webformer::fixtures;
using Strings = std::vector<std::string>;

TEST_CASE("BPE merges by rank, the leftmost first among equals") {
  const Tokenizer tokenizer = from_json(bpe());
  CHECK(tokens(tokenizer, "lower") == Strings{"lower"});
  CHECK(tokens(tokenizer, "lowest") == Strings{"low", "est"});
  CHECK(tokens(tokenizer, "newer") == Strings{"n", "e", "w", "er"});
  CHECK(tokens(tokenizer, "lololo") == Strings{"lo", "lo", "lo"});
}

TEST_CASE("BPE gives unknown characters the unknown token, fused where the file says so") {
  CHECK(tokens(from_json(bpe()), "lo??w") == Strings{"lo", "<unk>", "<unk>", "w"});
  std::string json = bpe();
  json.replace(json.find(R"("unk_token")"), 0, R"("fuse_unk": true, )");
  const Tokenizer fused = from_json(json);
  CHECK(tokens(fused, "lo?é?w") == Strings{"lo", "<unk>", "w"});
  CHECK(fused.encode("lo?é?w").offsets == Offsets{{0, 2}, {2, 5}, {5, 6}});
}

TEST_CASE("a word that is in the vocabulary is one token where merges are ignored") {
  std::string json = bpe();
  json.replace(json.find(R"("lower": 16)"), 0, R"("wider": 17, )");
  CHECK(tokens(from_json(json), "wider") == Strings{"w", "i", "d", "er"});
  json.replace(json.find(R"("unk_token")"), 0, R"("ignore_merges": true, )");
  CHECK(tokens(from_json(json), "wider") == Strings{"wider"});
}

TEST_CASE("byte fallback spells unknown characters in bytes, if all of them have a token") {
  const std::string model = R"({"type": "BPE", "unk_token": "<unk>", "byte_fallback": true, )"
                            R"("vocab": {"<unk>": 0, "a": 1, "<0xC3>": 2, "<0xA9>": 3}, "merges": []})";
  const Tokenizer tokenizer = from_json(with_model(model));
  CHECK(tokens(tokenizer, "aé") == Strings{"a", "<0xC3>", "<0xA9>"});
  CHECK(tokens(tokenizer, "aè") == Strings{"a", "<unk>"});
  CHECK(tokenizer.encode("aé").offsets == Offsets{{0, 1}, {1, 2}, {1, 2}});
}

TEST_CASE("byte-level tokens of one character have that character's place, in UTF-16 units") {
  const Tokenizer tokenizer = from_json(byte_level());
  CHECK(tokenizer.encode("😀 the é").ids == std::vector<std::int32_t>{0xf0, 0x9f, 0x98, 0x80, 258, 0x20, 0xc3, 0xa9});
  CHECK(tokenizer.encode("😀 the é").offsets == Offsets{{0, 2}, {0, 2}, {0, 2}, {0, 2}, {2, 6}, {6, 7}, {7, 8}, {7, 8}});
}

TEST_CASE("WordPiece takes the longest piece, and a word with an unknown piece is unknown") {
  const Tokenizer tokenizer = from_json(wordpiece());
  CHECK(tokens(tokenizer, "Unaffable, I love") == Strings{"[CLS]", "un", "##aff", "##able", ",", "i", "love", "[SEP]"});
  CHECK(tokens(tokenizer, "unaffx") == Strings{"[CLS]", "[UNK]", "[SEP]"});
  CHECK(tokenizer.encode("unaffx").word_ids == std::vector<std::int32_t>{-1, 0, -1});
}

TEST_CASE("WordPiece gives a word of more than the allowed characters up") {
  const Tokenizer tokenizer = from_json(wordpiece());
  std::string word = "un";
  for (int i = 0; i < 98; ++i) word += "a";
  EncodeOptions options;
  options.add_special_tokens = false;
  CHECK(tokenizer.encode(word, options).size() == 99);
  CHECK(tokens(tokenizer, word + "a", options) == Strings{"[UNK]"});
}

TEST_CASE("unigram takes the pieces of the greatest sum, and fuses unknown neighbours") {
  const Tokenizer tokenizer = from_json(unigram(""));
  CHECK(tokens(tokenizer, "abcdacdxx") == Strings{"abcd", "a", "cd", "xx"});  // tokenizers' own test of Unigram
  CHECK(tokenizer.encode("é€a").offsets == Offsets{{0, 2}, {2, 3}});
}

TEST_CASE("of two ways with one sum the one whose last piece is longer stays") {
  // "abcd" by ab+cd and abc+d, both -2: the piece that ends there and begins earlier was found first.
  const Tokenizer tokenizer =
      from_json(with_model(R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", -9], ["a", -9], ["b", -9], ["c", -9], ["d", -1], )"
                           R"(["ab", -1], ["abc", -1], ["cd", -1]]})"));
  CHECK(tokens(tokenizer, "abcd") == Strings{"ab", "cd"});
}

TEST_CASE("scores are read as tokenizers reads them, whose last bit can decide between two ways") {
  // The shortest digits, as a whole number and rounded, divided by a power of ten: what tokenizers 0.23.3 saves when it has read them.
  const Tokenizer tokenizer = from_json(with_model(R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -5.375],
    ["==", -10.654038311011167], ["=========", -14.90850369904781], ["b", -7.2147313217222795], ["c", -100],
    ["d", -7.6302387421796105], ["e", -9.78383007896985]]})"));
  const auto spec = tokenizer.spec();
  CHECK(std::get<UnigramSpec>(spec.model).scores ==
        std::vector{0.0, -5.375, -10.654038311011169, -14.90850369904781, -7.21473132172228, -100.0, -7.630238742179611,
                    -9.78383007896985});
  CHECK(tokens(tokenizer, "a===========") == Strings{"a", "=========", "=="});  // the sums differ by rounding alone
}

TEST_CASE("a word-level model knows words, and the unknown token for all others") {
  const std::string model = R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "hello": 1, "!": 2}})";
  CHECK(tokens(from_json(with_model(model, R"("pre_tokenizer": {"type": "Whitespace"})")), "hello you!") == Strings{"hello", "?", "!"});
}

TEST_CASE("kind() tells the five kinds apart") {
  CHECK(from_json(bpe()).kind() == TokenizerKind::bpe);
  CHECK(from_json(wordpiece()).kind() == TokenizerKind::wordpiece);
  CHECK(from_json(unigram()).kind() == TokenizerKind::unigram);
  const std::string words = R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0}})";
  CHECK(from_json(with_model(words)).kind() == TokenizerKind::word);
  const std::string split = R"j("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(?m:.)"}, "behavior": "Isolated"})j";
  CHECK(from_json(with_model(words, split)).kind() == TokenizerKind::character);
}
