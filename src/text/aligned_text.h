#pragma once
// A text that knows of each of its bytes where it comes from. The rules are those of tokenizers' NormalizedString, for offsets depend on
// them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "text/pattern.h"

namespace webformer {

/// Bytes of the original text.
struct SourceSpan {
  std::uint32_t begin = 0, end = 0;
  bool operator==(const SourceSpan&) const = default;
};

struct AlignedText {
  std::string text;
  std::vector<SourceSpan>
      spans;  ///< one a byte; empty: each character comes from the one at the same place of the original, from `base` on
  std::uint32_t base = 0;
  std::vector<std::uint32_t> malformed =
      {};  ///< where a U+FFFD begins that stands for a malformed byte, ascending; kept for SentencePiece's normalizer alone

  bool is_identity() const noexcept { return spans.empty(); }
  /// Where the byte at `at` comes from: its whole character, where nothing was changed.
  SourceSpan span(std::size_t at) const noexcept;
  /// Makes `spans` one a byte.
  void spell_out();
};

/// Makes a text from another one, character by character.
class Rewriter {
 public:
  /// The first `removed` characters are left out.
  explicit Rewriter(const AlignedText& from, std::size_t removed = 0);

  /// The next character of the result. change 0: it takes the place of the next one of the source; -n: of that one and the n after it;
  /// 1: it is inserted, and comes from where the byte before it comes from.
  void put(char32_t c, int change);
  AlignedText finish() &&;

 private:
  const AlignedText& from_;
  AlignedText to_;
  std::size_t at_ = 0;
};

/// Each match becomes `content`, which comes from the last character of the match.
AlignedText replace_matches(const AlignedText& from, std::span<const PatternMatch> matches, std::string_view content);
/// Each byte becomes its character of the byte alphabet.
void spell_bytes(AlignedText& text);
/// Puts `prefix` in front; it comes from the first character, and so does that. An empty text stays empty.
void prepend(AlignedText& text, std::string_view prefix);

/// Leaves the characters out that `is_removed` holds for.
template <class Predicate>
void remove_characters(AlignedText& text, Predicate is_removed) {
  struct Kept {
    char32_t c;
    int removed;
  };
  std::vector<Kept> kept;
  std::size_t removed_first = 0, removed = 0;
  for (std::size_t at = 0; at < text.text.size();) {
    const char32_t c = next_code_point(text.text, at);
    if (!is_removed(c)) {
      kept.push_back({c, 0});
    } else {
      ++removed;
      kept.empty() ? void(++removed_first) : void(++kept.back().removed);
    }
  }
  if (removed == 0) return;
  Rewriter rewriter(text, removed_first);
  for (const Kept& one : kept) rewriter.put(one.c, -one.removed);
  text = std::move(rewriter).finish();
}

}  // namespace webformer
