#pragma once
// Word vectors in word2vec's text format, from staged bytes and back.

#include <emscripten/val.h>

#include <string>

namespace webformer {

/// The staged text of a file of that name. Returns {words, vectors}, a row a word.
emscripten::val read_word_vectors(std::size_t length, std::string file);
/// Staged: the vectors, [V, C] floats, then the words, whose lengths in bytes are given. Returns the text.
emscripten::val save_word_vectors(emscripten::val lengths, std::size_t dimensions);

}  // namespace webformer
