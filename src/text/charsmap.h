#pragma once
// SentencePiece's precompiled charsmap: a trie of texts and what each becomes. https://github.com/google/sentencepiece, src/normalizer.cc

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/aligned_text.h"
#include "text/double_array.h"

namespace webformer {

class Charsmap {
 public:
  /// The bytes of the file: the size of the trie, the trie, then the replacements with a NUL after each. Throws invalid_file; `where`
  /// begins the message.
  static Charsmap read(std::string_view bytes, std::string_view where);

  struct Found {
    std::size_t length;  ///< bytes of the text
    std::string_view replacement;
  };
  /// What the text begins with.
  std::optional<Found> shortest(std::string_view text) const noexcept;
  std::optional<Found> longest(std::string_view text) const noexcept;

 private:
  std::string_view replacement_at(std::uint32_t at) const noexcept;

  DoubleArray trie_;
  std::string replacements_;
};

/// As tokenizers applies it: a grapheme cluster of under six bytes that begins with an entry becomes that entry's replacement, whatever
/// follows in the cluster; longer ones character by character.
void apply_precompiled(AlignedText& text, const Charsmap& charsmap);

}  // namespace webformer
