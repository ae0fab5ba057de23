#include "formats/word_vectors.h"

#include <doctest/doctest.h>

#include <limits>

#include "allocations.h"
#include "formats/weight_files.h"

using namespace webformer;
using namespace webformer::test;

namespace {

std::string refusal(std::string_view text) {
  return message_of([&] { parse_word_vectors(text, "vectors.txt"); });
}

}  // namespace

TEST_CASE("word vectors are read from word2vec's text, with the space that it leaves at the end of lines") {
  const WordVectors read = parse_word_vectors("2 3\nking 0.5 -1e-3 2 \n\xEC\x99\x95 1 2 3\r\n\n", "vectors.txt");
  CHECK(read.words == std::vector<std::string>{"king", "\xEC\x99\x95"});
  CHECK(read.vectors.shape == Shape{2, 3});
  CHECK(read.vectors.data == std::vector<float>{0.5f, -1e-3f, 2, 1, 2, 3});
}

TEST_CASE("word vectors that are written are read back the same, bit for bit") {
  const WordVectors vectors{{"a", "b"}, Array(Shape{2, 3}, {0.1f, -0.0f, 1e-45f, 3.4028235e38f, 1.0f / 3, 16777216})};
  const std::string text = write_word_vectors(vectors);
  CHECK(text == "2 3\na 0.1 -0 1e-45\nb 3.4028235e+38 0.33333334 16777216\n");
  const WordVectors read = parse_word_vectors(text, "vectors.txt");
  CHECK(read.words == vectors.words);
  CHECK(read.vectors.data == vectors.vectors.data);
}

TEST_CASE("text that is no word vectors is refused with the line") {
  const std::string start = "vectors.txt: line ";
  CHECK(refusal("") == start + "0: nothing found, the number of words and the size of their vectors expected");
  CHECK(refusal("king 1 2\n") == start + "1: \"king\" as the number of words, 1 to 9 expected");
  CHECK(refusal("0 3\n") == start + "1: \"0\" as the number of words, 1 to 4 expected");
  CHECK(refusal("-1 3\n") == start + "1: \"-1\" as the number of words, 1 to 5 expected");
  CHECK(refusal("1 2 3\na 1 2\n") == start + "1: more than two numbers");
  CHECK(refusal("2 2\na 1 2\n") == start + "2: the file ends after 1 of 2 words");
  CHECK(refusal("1 2\na 1\n") == start + "2: \"\" found, a finite number expected");
  CHECK(refusal("1 2\na 1 2 3\n") == start + "2: more than 2 numbers");
  CHECK(refusal("1 2\na 1 2x\n") == start + "2: \"2x\" found, a finite number expected");
  CHECK(refusal("1 2\na 1 nan\n") == start + "2: \"nan\" found, a finite number expected");
  CHECK(refusal("1 2\na 1 1e99\n") == start + "2: \"1e99\" found, a finite number expected");
  CHECK(refusal("1 1\na 1\nb 2\n") == start + "3: text after 1 words");
  CHECK(refusal("2 1\na 1\na 2\n") == start + "3: word \"a\" is there twice");
  CHECK(refusal("1 1\n \n") == start + "2: a word expected");
  CHECK(refusal("1 1\n\xff 1\n") == start + "2: \"\xEF\xBF\xBD\" is no UTF-8");
}

TEST_CASE("counts in the first line allocate nothing that the text could not fill") {
  const std::size_t before = live_bytes();
  reset_peak_bytes();
  const std::string square = "1000 1000\n" + std::string(1000, 'a');
  for (const std::string_view text : {std::string_view("4000000000 4000000000\na 1\n"), std::string_view("18446744073709551616 1\n"),
                                      std::string_view("3 9223372036854775807\n"), std::string_view(square)}) {
    CHECK(verdict_of([&] { parse_word_vectors(text, "vectors.txt"); }) == "invalid_file");
  }
  CHECK(peak_bytes() - before < 10'000);
}

TEST_CASE("words with spaces and numbers that are not finite are not written") {
  CHECK(verdict_of([] { write_word_vectors({{"a b"}, Array(Shape{1, 1})}); }) == "invalid_argument");
  CHECK(verdict_of([] { write_word_vectors({{""}, Array(Shape{1, 1})}); }) == "invalid_argument");
  CHECK(verdict_of([] { write_word_vectors({{"a", "b"}, Array(Shape{1, 1})}); }) == "invalid_argument");
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(verdict_of([&] { write_word_vectors({{"a"}, Array(Shape{1, 1}, {infinity})}); }) == "invalid_argument");
}
