// What trainers learn from texts small enough to count by hand.
#include "text/training/trainers.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "fixtures.h"
#include "trained.h"

using namespace webformer;
using namespace webformer::fixtures;
using Strings = std::vector<std::string>;

namespace {

/// "left right", in the order of the merges.
Strings merges(const TokenizerSpec& spec) {
  Strings result;
  const StringPool& pool = std::get<BpeSpec>(spec.model).merges;
  for (std::size_t i = 0; i < pool.size(); i += 2) result.push_back(std::string(pool[i]) + " " + std::string(pool[i + 1]));
  return result;
}

std::string refusal(TrainerKind kind, TrainerOptions options) {
  return verdict([&] { TokenizerTrainer(kind, std::move(options)); });
}

const Strings lowest{"lowest lower newer wider"};

}  // namespace

TEST_CASE("words are learnt by count, those of one count by their bytes") {
  const Strings texts{"b a c é a", "c a z"};
  CHECK(vocabulary(train(TrainerKind::word, {.vocab_size = 9}, texts)) == Strings{"<unk>", "a", "c", "b", "z", "é"});
  CHECK(vocabulary(train(TrainerKind::word, {.vocab_size = 9, .min_frequency = 2}, texts)) == Strings{"<unk>", "a", "c"});
  CHECK(vocabulary(train(TrainerKind::word, {.vocab_size = 4, .special_tokens = {"<pad>", "<unk>"}}, texts)) ==
        Strings{"<pad>", "<unk>", "a", "c"});
}

TEST_CASE("characters are learnt by count, and come back as they were") {
  const Tokenizer tokenizer = train(TrainerKind::character, {.vocab_size = 99}, {"ab a\n한"});
  CHECK(vocabulary(tokenizer) == Strings{"<unk>", "a", "\n", " ", "b", "한"});
  CHECK(tokenizer.kind() == TokenizerKind::character);
  CHECK(tokenizer.decode(tokenizer.encode("b a한").ids) == "b a한");
}

// l o 2, o w 2, w e 3, e r 3, all else 1. Of w e and e r the ids of e r are the smaller ones, as those of l o are before o w; then w er has
// 2, and among all that have 1, d er the smallest ids.
TEST_CASE("of the pairs of lowest lower newer wider, e r is merged first, then l o") {
  const TokenizerSpec spec = learn(TrainerKind::bpe, {.vocab_size = 14}, lowest);
  CHECK(merges(spec) == Strings{"e r", "l o", "w er", "d er"});
  CHECK(vocabulary(Tokenizer::compile(spec)) == Strings{"d", "e", "i", "l", "n", "o", "r", "s", "t", "w", "er", "lo", "wer", "der"});
  CHECK(tokens(Tokenizer::compile(spec), "lower") == Strings{"lo", "wer"});
}

TEST_CASE("BPE merges runs from the left, and counts the pairs that this leaves") {
  CHECK(merges(learn(TrainerKind::bpe, {.vocab_size = 9}, {"aaaa"})) == Strings{"a a", "aa aa"});
  CHECK(merges(learn(TrainerKind::bpe, {.vocab_size = 9}, {"aaaaa"})) == Strings{"a a", "aa a", "aa aaa"});
}

TEST_CASE("BPE stops at a count below the least frequency") {
  CHECK(merges(learn(TrainerKind::bpe, {.vocab_size = 99, .min_frequency = 2}, lowest)) == Strings{"e r", "l o", "w er"});
}

TEST_CASE("BPE keeps the most frequent characters, and those that it is given") {
  TrainerOptions options{.vocab_size = 1, .limit_alphabet = 3, .initial_alphabet = {"z", "yes"}};
  const Tokenizer tokenizer = train(TrainerKind::bpe, options, lowest);  // e 5, r 3, w 4
  CHECK(vocabulary(tokenizer) == Strings{"e", "y", "z"});
}

TEST_CASE("the longest token of BPE is counted in characters, and bounds new pairs only") {
  // abcd: a b, ab c and abc d would follow; of lengths that sum to less than 3 there is none but the first pairs.
  CHECK(merges(learn(TrainerKind::bpe, {.vocab_size = 99, .max_token_length = 3}, {"abcd"})) == Strings{"a b", "c d"});
  CHECK(merges(learn(TrainerKind::bpe, {.vocab_size = 99, .max_token_length = 1}, {"ab"})) == Strings{"a b"});
}

TEST_CASE("BPE marks the end of words, and gives the text back") {
  const Tokenizer tokenizer = train(TrainerKind::bpe, {.vocab_size = 99, .end_of_word_suffix = "</w>"}, {"ab ab b"});
  CHECK(vocabulary(tokenizer) == Strings{"a", "b", "b</w>", "ab</w>"});
  CHECK(tokenizer.decode(tokenizer.encode("ab b ab").ids) == "ab b ab");
}

TEST_CASE("byte-level BPE begins with all bytes and knows every text") {
  const Tokenizer tokenizer = train(TrainerKind::byte_bpe, {.vocab_size = 258, .special_tokens = {"<|endoftext|>"}}, {"a a"});
  CHECK(tokenizer.vocab_size() == 258);
  CHECK(tokenizer.token_of(257) == "Ġa");
  CHECK(tokenizer.decode(tokenizer.encode("Zoë 🙂\n").ids) == "Zoë 🙂\n");
}

TEST_CASE("WordPiece learns beginnings and continuations, which lose their prefix where they are joined") {
  const Tokenizer tokenizer =
      train(TrainerKind::wordpiece, {.vocab_size = 12, .special_tokens = {"[UNK]", "[CLS]", "[SEP]"}}, {"Abab ab"});
  CHECK(vocabulary(tokenizer) == Strings{"[UNK]", "[CLS]", "[SEP]", "a", "b", "##b", "##a", "ab", "##ab", "abab"});
  CHECK(tokens(tokenizer, "ABAB x") == Strings{"[CLS]", "abab", "[UNK]", "[SEP]"});
  CHECK(tokenizer.names().pad == "");
  CHECK(tokenizer.names().cls == "[CLS]");
}

TEST_CASE("special tokens are found in texts after training, not in it") {
  const Tokenizer tokenizer = train(TrainerKind::word, {.vocab_size = 9, .special_tokens = {"<unk>", "<s>"}}, {"a <s>"});
  CHECK(vocabulary(tokenizer) == Strings{"<unk>", "<s>", "<", ">", "a", "s"});
  CHECK(tokens(tokenizer, "a<s>") == Strings{"a", "<s>"});
  CHECK(tokenizer.is_special(1));
}

TEST_CASE("options without a use, or out of their bounds, are refused by name") {
  CHECK(refusal(TrainerKind::bpe, {}) == "invalid_argument: vocabSize: 0 found, at least 1 expected");
  CHECK(refusal(TrainerKind::word, {.vocab_size = 1u << 30}) == "invalid_argument: vocabSize: 1073741824 found, 16777216 at most");
  CHECK(refusal(TrainerKind::unigram, {.vocab_size = 9, .min_frequency = 2}) ==
        "invalid_argument: minFrequency: the kind unigram has no use for it");
  CHECK(refusal(TrainerKind::wordpiece, {.vocab_size = 9, .end_of_word_suffix = "</w>"}) ==
        "invalid_argument: endOfWordSuffix: the kind wordpiece has no use for it");
  CHECK(refusal(TrainerKind::word, {.vocab_size = 9, .special_tokens = {"a", "b", "a"}}) ==
        "invalid_argument: specialTokens[0]: \"a\" is there twice");
  CHECK(refusal(TrainerKind::word, {.vocab_size = 9, .special_tokens = {""}}) == "invalid_argument: specialTokens[0]: \"\" is empty");
  CHECK(refusal(TrainerKind::byte_bpe, {.vocab_size = 9, .pre_tokenizers = {{WhitespacePreTokenizer{}}}}) ==
        "invalid_argument: preTokenizer: byte-bpe needs one that ends in ByteLevel");
}

TEST_CASE("texts without a word are refused") {
  CHECK(verdict([] { learn(TrainerKind::word, {.vocab_size = 9}, {"", " \n"}); }) ==
        "invalid_argument: trainTokenizer: no words found in the texts");
}

TEST_CASE("malformed text is trained on as U+FFFD") {
  CHECK(vocabulary(train(TrainerKind::character, {.vocab_size = 9}, {"a\xff"})) == Strings{"<unk>", "a", "\ufffd"});
}

TEST_CASE("training stops between its steps, tells how far it is, and may be given up") {
  TokenizerTrainer trainer(TrainerKind::bpe, {.vocab_size = 14});
  trainer.feed(lowest[0]);
  Schedule schedule;
  Job job(schedule, trainer.train(schedule));
  int steps = 0;
  double last = 0;
  for (; !job.step(Schedule::Clock::duration::zero()); ++steps) {
    const auto [done, total] = trainer.progress();
    const double fraction = double(done) / double(total);
    CHECK(fraction >= last);
    last = fraction;
  }
  CHECK(steps >= 4);
  CHECK(trainer.progress().done == trainer.progress().total);
  CHECK(job.take().added_tokens.empty());

  TokenizerTrainer other(TrainerKind::bpe, {.vocab_size = 14});
  other.feed(lowest[0]);
  Job given_up(schedule, other.train(schedule));
  CHECK_FALSE(given_up.step(Schedule::Clock::duration::zero()));
}
