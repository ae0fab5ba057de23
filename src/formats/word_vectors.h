#pragma once
// Word vectors in word2vec's text format: a line with their number and size, then a line a word: the word and its numbers, between spaces.

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor.h"

namespace webformer {

struct WordVectors {
  std::vector<std::string> words;
  Array vectors;  ///< [V, C], a row a word
};

/// Throws invalid_file, with the line, for text that is not as the format says: other counts than the first line's, words that are empty,
/// there twice, or no UTF-8, numbers that are no finite floats.
WordVectors parse_word_vectors(std::string_view text, std::string_view file);
/// Each number is the shortest that reads back as the same float. Throws invalid_argument where words and rows are not as many, for a word
/// that has white space or is empty, and for a number that is not finite.
std::string write_word_vectors(const WordVectors& vectors);

}  // namespace webformer
