// RELIABILITY.md, section D: ten times the text takes some ten times the time, whatever the tokenizer, with nothing that parts words.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>

#include "core/utf8.h"
#include "fixtures.h"
#include "published.h"
#include "text/byte_tokens.h"
#include "trained.h"

using namespace webformer;
using namespace webformer::fixtures;

namespace {

/// The small length, in bytes; the large one is four or ten times it. A megabyte where the environment has WEBFORMER_LONG_TEXTS, and less
/// where all is slow.
std::size_t small_length() {
#if defined(__SANITIZE_ADDRESS__) || defined(__EMSCRIPTEN__)
  return 20'000;
#else
  return std::getenv("WEBFORMER_LONG_TEXTS") ? 1'000'000 : 100'000;
#endif
}

std::string repeated(std::string_view what, std::size_t length) {
  std::string text;
  while (text.size() < length) text += what;
  return text;
}

std::string random_characters(char32_t first, char32_t last, std::size_t length) {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < length) text += to_utf8(first + char32_t(random() % (last - first + 1)));
  return text;
}

struct LongText {
  const char* name;
  std::function<std::string(std::size_t length)> make;
};

const std::vector<LongText>& long_texts() {
  static const std::vector<LongText> all{
      {"letters", [](std::size_t length) { return random_characters('a', 'z', length); }},
      {"one letter", [](std::size_t length) { return repeated("a", length); }},
      {"ideographs", [](std::size_t length) { return random_characters(0x4e00, 0x9fff, length); }},
      {"marks", [](std::size_t length) { return "e" + repeated("\u0301\u0323", length); }},
      {"joined emoji", [](std::size_t length) { return repeated("👩‍", length); }},
      {"digits", [](std::size_t length) { return repeated("1", length); }},
      {"line ends", [](std::size_t length) { return repeated("\r\n", length); }},
  };
  return all;
}

/// Of this thread's processor, in seconds.
template <class Action>
double seconds(Action action) {
  const std::clock_t start = std::clock();
  action();
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

/// What is quadratic takes `times` times as long as this allows, or more, each time it is tried; what other programs take of the machine
/// is not lost three times. A megabyte fits the caches, ten do not: threefold is usual.
template <class Small, class Large>
void check_growth(const std::string& what, double times, Small small, Large large) {
  bool linear = false;
  for (int attempt = 0; attempt < 3 && !linear; ++attempt) {
    const double few = seconds(small), many = seconds(large);
    char line[160];
    std::snprintf(line, sizeof line, "%-44s%8.3f s%9.3f s%8.1f", what.c_str(), few, many, many / std::max(few, 1e-6));
    MESSAGE(line);
    linear = many < 4 * times * few + 0.3;
  }
  CHECK_MESSAGE(linear, what);
}

void check_linear(const std::string& name, const Tokenizer& tokenizer) {
  for (const LongText& text : long_texts()) {
    const std::string small = text.make(small_length()), large = text.make(10 * small_length());
    Encoding few, many;
    check_growth(name + ", " + text.name + ", encode", 10, [&] { few = tokenizer.encode(small); }, [&] { many = tokenizer.encode(large); });
    std::string short_text, long_text;
    check_growth(name + ", " + text.name + ", decode", 10, [&] { short_text = tokenizer.decode(few.ids); },
                 [&] { long_text = tokenizer.decode(many.ids); });
    CHECK(few.size() <= many.size());
    CHECK(short_text.size() <= long_text.size());
  }
}

void check_linear_training(TrainerKind kind, const LongText& text, std::size_t vocab_size) {
  const auto training = [&](std::size_t length) {
    const std::vector<std::string> texts{text.make(length)};
    learn(kind, {.vocab_size = vocab_size}, texts);
  };
  check_growth(std::string(name(kind)) + ", " + text.name + ", train", 4, [&] { training(small_length()); },
               [&] { training(4 * small_length()); });
}

}  // namespace

TEST_CASE("words, characters and bytes of a text without a space take time in proportion to its length") {
  check_linear("word", from_json(with_model(R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "a": 1}})")));
  check_linear("char", train(TrainerKind::character, {.vocab_size = 30}, {"abcdefghijklmnopqrstuvwxyz"}));
  std::string pieces = R"(["<unk>", 0])";
  for (int byte = 0; byte < 256; ++byte) pieces += ", [\"" + byte_token(std::uint8_t(byte)) + "\", -1]";
  check_linear("bytes", from_json(with_model(R"({"type": "Unigram", "unk_id": 0, "byte_fallback": true, "vocab": [)" + pieces + "]}",
                                             R"("decoder": {"type": "ByteFallback"})")));
}

TEST_CASE("a text without a space is learnt from in time in proportion to its length") {
  for (const LongText& text : long_texts()) {
    const std::string_view name = text.name;
    check_linear_training(TrainerKind::character, text, 300);
    check_linear_training(TrainerKind::byte_bpe, text, 300);
    if (name == "line ends") continue;  // white space: no words to learn from
    for (const TrainerKind kind : {TrainerKind::word, TrainerKind::bpe, TrainerKind::wordpiece}) check_linear_training(kind, text, 300);
    check_linear_training(TrainerKind::unigram, text, 300);
    // These refuse a vocabulary that the text cannot fill, or that lacks one of its characters.
    if (name == "ideographs") continue;
    for (const TrainerKind kind : {TrainerKind::sentencepiece_bpe, TrainerKind::sentencepiece_unigram})
      check_linear_training(kind, text, name == "letters" ? 300 : 8);
  }
}

#ifdef WEBFORMER_SHARED_DIR

TEST_CASE("published tokenizers take a text without a space in time in proportion to its length") {
  for (const Published& published : published_tokenizers()) check_linear(published.name, load(published));
  for (const std::string& name : npm_tokenizers) {
    if (const auto tokenizer = load_npm(name)) check_linear(name, *tokenizer);
  }
}

#endif
