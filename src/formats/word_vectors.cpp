#include "formats/word_vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "core/utf8.h"
#include "formats/excerpt.h"
#include "formats/json_writer.h"
#include "formats/sorted_names.h"

namespace webformer {

namespace {

constexpr std::string_view white_space = " \t\r\n";

/// Takes words off the text, and counts lines for messages.
class Lines {
 public:
  Lines(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool next() {
    if (text_.empty()) return false;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line_ = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_;
    return true;
  }
  /// The next word of the line; empty at its end.
  std::string_view word() {
    line_.remove_prefix(std::min(line_.find_first_not_of(white_space), line_.size()));
    const std::string_view word = line_.substr(0, line_.find_first_of(white_space));
    line_.remove_prefix(word.size());
    return word;
  }
  std::int64_t count(std::string_view what, std::uint64_t most) {
    const std::string_view digits = word();
    std::uint64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || result.ec != std::errc() || result.ptr != digits.data() + digits.size() || value == 0 || value > most) {
      refuse(format("\"{}\" as {}, 1 to {} expected", excerpt(digits), what, most));
    }
    return std::int64_t(value);
  }
  float real() {
    const std::string digits(word());
    char* end = nullptr;
    const float value = std::strtof(digits.c_str(), &end);
    if (digits.empty() || end != digits.c_str() + digits.size() || !std::isfinite(value)) {
      refuse(format("\"{}\" found, a finite number expected", excerpt(digits)));
    }
    return value;
  }
  [[noreturn]] void refuse(std::string_view fault) const {
    throw Error(Code::invalid_file, "{}: line {}: {}", file_, number_, fault);
  }

 private:
  std::string_view text_, line_, file_;
  std::int64_t number_ = 0;
};

const std::string& itself(const std::string& word) noexcept { return word; }

}  // namespace

WordVectors parse_word_vectors(std::string_view text, std::string_view file) {
  Lines lines(text, file);
  if (!lines.next()) lines.refuse("nothing found, the number of words and the size of their vectors expected");
  const std::int64_t words = lines.count("the number of words", text.size());
  const std::int64_t size = lines.count("the size of vectors", text.size() / std::uint64_t(words));  // a number takes more than 1 byte
  if (!lines.word().empty()) lines.refuse("more than two numbers");

  WordVectors result;
  result.vectors = Array(Shape{words, size});
  for (std::int64_t row = 0; row < words; ++row) {
    if (!lines.next()) lines.refuse(format("the file ends after {} of {} words", row, words));
    const std::string_view word = lines.word();
    if (word.empty()) lines.refuse("a word expected");
    if (repair_utf8(word)) lines.refuse(format("{} is no UTF-8", quote_json(excerpt(word))));
    result.words.emplace_back(word);
    for (std::int64_t i = 0; i < size; ++i) result.vectors.data[std::size_t(row * size + i)] = lines.real();
    if (!lines.word().empty()) lines.refuse(format("more than {} numbers", size));
  }
  while (lines.next()) {
    if (!lines.word().empty()) lines.refuse(format("text after {} words", words));
  }
  if (const auto twin = find_twin(sort_by_name(result.words, itself), result.words, itself)) {
    throw Error(Code::invalid_file, "{}: line {}: word \"{}\" is there twice", file, *twin + 2, excerpt(result.words[*twin]));
  }
  return result;
}

std::string write_word_vectors(const WordVectors& vectors) {
  const ConstMatrix rows = vectors.vectors.matrix();
  if (std::int64_t(vectors.words.size()) != rows.rows) {
    throw Error(Code::invalid_argument, "word vectors: {} words and {} rows", vectors.words.size(), rows.rows);
  }
  std::string text = format("{} {}\n", rows.rows, rows.cols);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const std::string& word = vectors.words[std::size_t(row)];
    if (word.empty() || word.find_first_of(white_space) != std::string::npos) {
      throw Error(Code::invalid_argument, "word vectors: the word \"{}\" is empty or has white space", excerpt(word));
    }
    text += word;
    for (std::int64_t i = 0; i < rows.cols; ++i) {
      const float number = rows.at(row, i);
      if (!std::isfinite(number)) throw Error(Code::invalid_argument, "word vectors: \"{}\" has the number {}", excerpt(word), number);
      text += ' ' + to_text(number);
    }
    text += '\n';
  }
  return text;
}

}  // namespace webformer
