#pragma once
// Unicode as the reference tokenizers see it: sets, cases and decompositions of several Unicode versions (src/core/unicode/generate.mjs).

#include <cstdint>
#include <span>
#include <vector>

namespace webformer {

struct CodePointRange {
  char32_t first, last;
  bool operator==(const CodePointRange&) const = default;
};

inline constexpr char32_t max_code_point = 0x10ffff;
inline constexpr char32_t replacement_character = 0xfffd;

/// General categories of Unicode 16, in the order of the tables.
enum class Category : std::uint8_t {
  cn,
  lu,
  ll,
  lt,
  lm,
  lo,
  mn,
  mc,
  me,
  nd,
  nl,
  no,
  pc,
  pd,
  ps,
  pe,
  pi,
  pf,
  po,
  sm,
  sc,
  sk,
  so,
  zs,
  zl,
  zp,
  cc,
  cf,
  co,
  cs
};
inline constexpr std::size_t category_count = 30;
/// Two letters each: "CnLuLl…".
inline constexpr char category_names[] = "CnLuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCoCs";

/// Sets that are no general category, in the order of the tables.
enum class CharSet : std::uint8_t {
  regex_word,         ///< \w of Oniguruma, Unicode 16
  numeric,            ///< Nd, Nl and No of Unicode 17: what the Digits pre-tokenizer isolates
  accent,             ///< combining marks of Unicode 9: what StripAccents removes
  nonspacing_accent,  ///< those of category Mn, of Unicode 8: what BertNormalizer removes
  punctuation,        ///< of Unicode 8, and the symbols of ASCII: what BERT isolates
  bert_removed,       ///< what BertNormalizer's clean_text drops
  cjk_ideograph,      ///< what BertNormalizer puts spaces around
  grapheme_extend,
  grapheme_spacing_mark,
  grapheme_prepend,
  grapheme_control,  ///< classes of grapheme clusters (UAX 29)
  script_han,  ///< scripts and properties of Unicode 16
  script_hiragana,
  script_katakana,
  script_hangul,
  script_latin,
  script_greek,
  script_cyrillic,
  script_arabic,
  script_hebrew,
  script_thai,
  script_devanagari,
  other_lowercase,   ///< Lowercase, but not of category Ll
  other_alphabetic,  ///< Alphabetic, but neither a letter nor of category Nl
};
inline constexpr std::size_t char_set_count = 24;

std::vector<CodePointRange> ranges(Category category);
/// Ascending, neither touching nor overlapping.
std::vector<CodePointRange> ranges(CharSet set);
bool contains(CharSet set, char32_t c);

/// A number that the characters of one script share; those without a name here have one that means nothing else.
enum class Script : std::uint8_t { common, inherited, han, hiragana, katakana };
/// Of Unicode 17; scripts that came after Unicode 9 are common.
Script script_of(char32_t c);

/// White_Space, the same in all versions concerned: tab to CR, space, U+0085, U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F,
/// U+205F, U+3000.
constexpr bool is_white_space(char32_t c) noexcept {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
         c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/// One code point to one code point (Unicode 17). U+0130, whose lower case is i and U+0307, is left to the caller.
char32_t to_lower(char32_t c);
/// Simple case folding: characters that differ in case alone have the same one.
char32_t fold_case(char32_t c);
/// All code points that fold as one of `given` does, `given` included.
std::vector<CodePointRange> close_over_case(std::span<const CodePointRange> given);

/// The order of combining marks of one base: 0 is no combining mark. (Canonical combining classes, renumbered.)
unsigned combining_rank(char32_t c);
/// The full canonical or compatibility decomposition; empty where a character is its own, and for Hangul syllables (text/normal_forms.h).
std::span<const char32_t> decomposition(char32_t c, bool compatibility);
/// Whether a character may be changed, moved or joined by a normal form: a text without such characters is in that form.
bool may_normalize(char32_t c, bool composes, bool compatibility);
/// The character that the pair composes to, or 0. Hangul is left out here as well.
char32_t composition(char32_t first, char32_t second);

}  // namespace webformer
