#include "text/training/piece_rules.h"

#include <algorithm>
#include <optional>

#include "core/unicode.h"

namespace webformer {
namespace {

constexpr char32_t space = 0x2581, long_vowel = 0x30fc;

/// Japanese mixes three scripts in a word.
Script merged_script(char32_t c) {
  const Script script = script_of(c);
  return script == Script::hiragana || script == Script::katakana || c == long_vowel ? Script::han : script;
}

/// Marks go with what they stand on. Digits and punctuation are a script of their own: the common one.
bool is_of_one_script(std::u32string_view piece) {
  std::optional<Script> before;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] == space) {
      if (i > 0) return false;
      continue;
    }
    const Script script = merged_script(piece[i]);
    if (script == Script::inherited) continue;
    if (before && *before != script) return false;
    before = script;
  }
  return true;
}

}  // namespace

bool PieceRules::allows(std::u32string_view piece) const {
  if (piece.empty() || piece.size() > longest || !std::ranges::all_of(piece, is_letter)) return false;
  return !keeps_scripts_apart || is_of_one_script(piece);
}

bool PieceRules::is_reserved(std::string_view piece) const { return std::ranges::find(reserved, piece) != reserved.end(); }

}  // namespace webformer
