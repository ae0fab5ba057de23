#pragma once
// Which texts may become pieces of a unigram or SentencePiece model.

#include <string>
#include <string_view>
#include <vector>

namespace webformer {

struct PieceRules {
  std::size_t longest = 16;           ///< in characters
  bool keeps_scripts_apart = false;   ///< SentencePiece: one script a piece, kana counted as Han, and no space but at its beginning
  std::vector<std::string> reserved;  ///< the special tokens

  /// Whether a piece may have this character, alone or among others.
  static bool is_letter(char32_t c) noexcept { return c != 0; }  // NUL ends a key of a trie
  /// A piece that is not allowed cannot begin one that is, but for the reserved ones.
  bool allows(std::u32string_view piece) const;
  bool is_reserved(std::string_view piece) const;
};

}  // namespace webformer
