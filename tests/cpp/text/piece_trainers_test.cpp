// The unigram and SentencePiece trainers and their parts, on words small enough to count by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/unicode.h"
#include "core/utf8.h"
#include "fixtures.h"
#include "text/charsmap.h"
#include "text/training/nmt_nfkc.h"
#include "text/training/piece_lattice.h"
#include "text/training/trainers.h"
#include "text/training/unigram_seeds.h"
#include "trained.h"

using namespace webformer;
using namespace webformer::fixtures;
using Strings = std::vector<std::string>;

namespace {

/// "text weight", characters first.
Strings seeds(const std::vector<std::pair<std::string, int>>& words, const PieceRules& rules, std::size_t most = 100) {
  WordCounts counts;
  for (const auto& [word, count] : words) counts.add(word, std::uint64_t(count));
  Schedule schedule;
  const Seeds found = Job(schedule, find_seeds(counts, rules, most, schedule)).finish();
  Strings result;
  for (const auto* list : {&found.characters, &found.pieces}) {
    for (const SeedPiece& seed : *list) result.push_back(seed.text + " " + std::to_string(int(seed.weight)));
  }
  return result;
}

std::string normalized(std::string_view text) {
  static const Charsmap charsmap = Charsmap::read(nmt_nfkc_charsmap(), "nmt_nfkc");
  const auto found = charsmap.longest(text);
  return found ? std::string(found->replacement) : std::string(text);
}

}  // namespace

TEST_CASE("seeds are what occurs again and does not always go on in the same way, weighted by its length") {
  // ab goes on with c and d; b alone would be a character; zz is a word that occurs twice; x occurs once.
  CHECK(seeds({{"abc", 3}, {"abd", 1}, {"zz", 2}, {"xy", 1}}, {}) ==
        Strings{"a 4", "b 4", "z 4", "c 3", "d 1", "x 1", "y 1", "abc 9", "ab 8", "zz 4"});
  // ng ends two words: that is no way to go on which they share.
  CHECK(seeds({{"ang", 1}, {"ong", 1}}, {}) == Strings{"g 2", "n 2", "a 1", "o 1", "ng 4"});
  CHECK(seeds({{"abc", 3}, {"abd", 1}}, {.longest = 2}) == Strings{"a 4", "b 4", "c 3", "d 1", "ab 8"});
  CHECK(seeds({{"abc", 3}, {"abd", 1}}, {}, 1) == Strings{"a 4", "b 4", "c 3", "d 1", "abc 9"});
  CHECK(seeds({{"abc", 3}, {"abd", 1}}, {.reserved = {"ab", "d"}}) == Strings{"a 4", "b 4", "c 3", "abc 9"});
}

TEST_CASE("SentencePiece's pieces are of one script and have a space at their beginning only") {
  const PieceRules rules{.keeps_scripts_apart = true};
  for (const std::u32string_view piece : {U"abc", U"\u2581abc", U"\u2581", U"漢字かなカナー", U"12", U"1.", U"q\u0303a", U"한국어"})
    CHECK(rules.allows(piece));
  for (const std::u32string_view piece : {U"a1", U"a.", U"a\u2581", U"\u2581\u2581", U"aя", U"한a", U"abcdefghijklmnopq"})
    CHECK_FALSE(rules.allows(piece));
  CHECK_FALSE(PieceRules{}.allows(std::u32string_view(U"a\0b", 3)));
}

TEST_CASE("characters have the script of Unicode's Scripts.txt") {
  CHECK(script_of(U'漢') == Script::han);
  CHECK(script_of(U'あ') == Script::hiragana);
  CHECK(script_of(U'ア') == Script::katakana);
  CHECK(script_of(0x301) == Script::inherited);
  for (const char32_t c : {U'1', U'.', U'\u2581', U'\u30fc', U'😀'}) CHECK(script_of(c) == Script::common);
  CHECK(script_of(U'a') == script_of(0x1ef9));  // y with a tilde
  CHECK(script_of(U'가') == script_of(0x1100));
  CHECK(script_of(U'a') != script_of(U'я'));
  CHECK(script_of(U'α') != script_of(U'я'));
}

TEST_CASE("nmt_nfkc is NFKC but for spaces, control characters and the full-width tilde") {
  CHECK(normalized("Ａ") == "A");
  CHECK(normalized("ﬁ") == "fi");
  CHECK(normalized("\u00bd") == "1\u20442");
  CHECK(normalized("\u3000") == " ");
  CHECK(normalized("\u200b") == " ");
  CHECK(normalized("\t") == " ");
  CHECK(normalized("\x07") == "");
  CHECK(normalized("\u200d") == "\u200d");
  CHECK(normalized("～") == "～");
  CHECK(normalized("é") == "é");
}

// Of ab there are two ways: a b of 0.5 * 0.25, and ab of 0.25. The second has two thirds of the sum.
TEST_CASE("the lattice counts each piece by the probability of the ways that it is in") {
  PieceTable table({"a", "b", "ab", "x"});
  table.scores = {std::log(0.5), std::log(0.25), std::log(0.25), -std::numeric_limits<double>::infinity()};
  PieceLattice lattice(table);
  std::vector<double> expected(4, 0);
  lattice.set_word("ab");
  lattice.add_expectations(3, expected);
  CHECK(expected[0] == doctest::Approx(1));
  CHECK(expected[1] == doctest::Approx(1));
  CHECK(expected[2] == doctest::Approx(2));
  CHECK(expected[3] == 0);
  std::vector<std::uint32_t> path;
  lattice.best_path(path);
  CHECK(path == std::vector<std::uint32_t>{2});
  CHECK(lattice.best_score() == doctest::Approx(std::log(0.25)));
  lattice.set_word("ab", true);
  lattice.best_path(path);
  CHECK(path == std::vector<std::uint32_t>{0, 1});
  lattice.set_word("a", true);
  lattice.best_path(path);
  CHECK(path.empty());
}

TEST_CASE("a character without a piece is unknown, ten below the least score") {
  PieceTable table({"a", "x"});
  table.scores = {-2, -std::numeric_limits<double>::infinity()};
  PieceLattice lattice(table);
  lattice.set_word("axé");
  std::vector<std::uint32_t> path;
  lattice.best_path(path);
  CHECK(path == std::vector<std::uint32_t>{0, PieceLattice::unknown, PieceLattice::unknown});
  CHECK(lattice.best_score() == -26);
}

// All 2^511 ways are as likely, in half of which there is a cut at each of the 511 places.
TEST_CASE("the longest word stays within the range of a double") {
  PieceTable table({"a", "aa"});
  table.scores = {-40, -80};
  PieceLattice lattice(table);
  const std::string word(PieceLattice::longest_word, 'a');
  std::vector<double> expected(2, 0);
  lattice.set_word(word);
  lattice.add_expectations(1, expected);
  CHECK(expected[0] + 2 * expected[1] == doctest::Approx(512));
  CHECK(expected[1] / expected[0] == doctest::Approx(1 / std::numbers::phi).epsilon(0.01));  // ways to n are Fibonacci's numbers
}

TEST_CASE("a unigram model learns a word that occurs again and again") {
  const Tokenizer tokenizer = train(TrainerKind::unigram, {.vocab_size = 5}, {"ab ab ab ab", "ab ab"});
  Strings sorted = vocabulary(tokenizer);
  CHECK(sorted[0] == "<unk>");
  std::ranges::sort(sorted);
  CHECK(sorted == Strings{"<unk>", "a", "b", "▁", "▁ab"});
  CHECK(tokens(tokenizer, "ab ab") == Strings{"▁ab", "▁ab"});
  CHECK(tokenizer.decode(tokenizer.encode("ab ba").ids) == "ab ba");
}

TEST_CASE("a unigram model keeps all characters, whatever the size of its vocabulary") {
  Strings sorted = vocabulary(train(TrainerKind::unigram, {.vocab_size = 2, .special_tokens = {"<pad>"}}, {"abc abc\0"}));
  CHECK(sorted[0] == "<unk>");
  CHECK(sorted[1] == "<pad>");
  std::ranges::sort(sorted);
  CHECK(sorted == Strings{"<pad>", "<unk>", "a", "b", "c", "▁"});
}

TEST_CASE("words of any length are trained on") {
  const Tokenizer tokenizer = train(TrainerKind::unigram, {.vocab_size = 20}, {std::string(5000, 'a') + " " + std::string(3000, 'a')});
  CHECK(tokenizer.decode(tokenizer.encode("aaaaa").ids) == "aaaaa");
  CHECK(tokenizer.encode("aaaaaaaaaaaaaaaa").size() < 6);
}

// ab and ▁a occur three times each, and ab is the smaller text, for ▁ is U+2581.
TEST_CASE("SentencePiece BPE takes the shorter text among equals, then the smaller one") {
  const Tokenizer tokenizer = train(TrainerKind::sentencepiece_bpe, {.vocab_size = 8}, {"ab ab", "ab"});
  CHECK(vocabulary(tokenizer) == Strings{"<unk>", "<s>", "</s>", "ab", "▁ab", "a", "b", "▁"});
  CHECK(tokens(tokenizer, "ab") == Strings{"▁ab"});
  CHECK(tokenizer.names().bos == "<s>");
  CHECK(tokenizer.names().eos == "</s>");
}

TEST_CASE("SentencePiece fills the vocabulary with pairs that are used up, or refuses its size") {
  // sentencepiece 0.2.3 gives these pieces too, ▁a last of the merges.
  CHECK(vocabulary(train(TrainerKind::sentencepiece_bpe, {.vocab_size = 9}, {"ab ab", "ab"})) ==
        Strings{"<unk>", "<s>", "</s>", "ab", "▁ab", "▁a", "a", "b", "▁"});
  CHECK(verdict([] { train(TrainerKind::sentencepiece_bpe, {.vocab_size = 99}, {"ab ab", "ab"}); }) ==
        "invalid_argument: vocabSize: 99 found, at most 9 expected: the texts give no more pieces");
  CHECK(verdict([] { train(TrainerKind::sentencepiece_bpe, {.vocab_size = 5}, {"ab ab", "ab"}); }) ==
        "invalid_argument: vocabSize: 5 found, at least 6 expected: the special tokens and all characters of the texts");
}

TEST_CASE("SentencePiece normalizes its texts, and takes each line as a sentence") {
  const Tokenizer tokenizer = train(TrainerKind::sentencepiece_bpe, {.vocab_size = 8}, {" ａb\t\uff41b \n\nab"});
  CHECK(vocabulary(tokenizer) == Strings{"<unk>", "<s>", "</s>", "ab", "▁ab", "a", "b", "▁"});
  CHECK(tokens(tokenizer, "\n ａｂ  ab ") == Strings{"▁ab", "▁ab"});
  // Hangul letters become syllables, whichever block they are of.
  CHECK(tokens(train(TrainerKind::sentencepiece_bpe, {.vocab_size = 6}, {"한 한"}), "\u1112\u1161\u11ab") == Strings{"▁한"});
}

TEST_CASE("SentencePiece's special tokens are in no piece") {
  const Tokenizer tokenizer = train(TrainerKind::sentencepiece_bpe, {.vocab_size = 8, .special_tokens = {"[x]"}}, {"a[x]b a[x]b"});
  CHECK(vocabulary(tokenizer) == Strings{"<unk>", "<s>", "</s>", "[x]", "▁a", "a", "b", "▁"});
}

TEST_CASE("SentencePiece takes a normalizer in place of its own") {
  const Tokenizer tokenizer = train(TrainerKind::sentencepiece_unigram, {.vocab_size = 7, .normalizers = {{Lowercase{}}}}, {"AB Ab ab"});
  CHECK(tokens(tokenizer, "AB  ab") == Strings{"▁ab", "▁ab"});
  const Tokenizer loaded = from_json(write_tokenizer_json(tokenizer.spec()));
  CHECK(tokens(loaded, "AB  ab") == Strings{"▁ab", "▁ab"});
}
