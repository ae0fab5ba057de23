// The names of \p{ } and of [[: :]].
#include <array>
#include <string>
#include <utility>

#include "text/pattern_syntax.h"

namespace webformer {
namespace {

/// The long names of the general categories and their groups.
constexpr std::array<std::pair<std::string_view, std::string_view>, 37> long_names{{
    {"letter", "l"},
    {"casedletter", "lc"},
    {"uppercaseletter", "lu"},
    {"lowercaseletter", "ll"},
    {"titlecaseletter", "lt"},
    {"modifierletter", "lm"},
    {"otherletter", "lo"},
    {"mark", "m"},
    {"combiningmark", "m"},
    {"nonspacingmark", "mn"},
    {"spacingmark", "mc"},
    {"enclosingmark", "me"},
    {"number", "n"},
    {"decimalnumber", "nd"},
    {"letternumber", "nl"},
    {"othernumber", "no"},
    {"punctuation", "p"},
    {"connectorpunctuation", "pc"},
    {"dashpunctuation", "pd"},
    {"openpunctuation", "ps"},
    {"closepunctuation", "pe"},
    {"initialpunctuation", "pi"},
    {"finalpunctuation", "pf"},
    {"otherpunctuation", "po"},
    {"symbol", "s"},
    {"mathsymbol", "sm"},
    {"currencysymbol", "sc"},
    {"modifiersymbol", "sk"},
    {"othersymbol", "so"},
    {"separator", "z"},
    {"spaceseparator", "zs"},
    {"lineseparator", "zl"},
    {"paragraphseparator", "zp"},
    {"other", "c"},
    {"control", "cc"},
    {"format", "cf"},
    {"unassigned", "cn"},
}};

constexpr std::array<std::pair<std::string_view, CharSet>, 12> scripts{{
    {"han", CharSet::script_han},
    {"hiragana", CharSet::script_hiragana},
    {"katakana", CharSet::script_katakana},
    {"hangul", CharSet::script_hangul},
    {"latin", CharSet::script_latin},
    {"greek", CharSet::script_greek},
    {"cyrillic", CharSet::script_cyrillic},
    {"arabic", CharSet::script_arabic},
    {"hebrew", CharSet::script_hebrew},
    {"thai", CharSet::script_thai},
    {"devanagari", CharSet::script_devanagari},
    {"word", CharSet::regex_word},
}};

std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != ' ' && c != '-' && c != '_') result.push_back(c >= 'A' && c <= 'Z' ? char(c + 32) : c);
  }
  return result;
}

/// "l", "lu" or "lc".
std::optional<RangeSet> category_set(std::string_view name) {
  std::vector<CodePointRange> all;
  for (std::size_t i = 0; i < category_count; ++i) {
    const char major = char(category_names[2 * i] + 32), minor = category_names[2 * i + 1];
    const bool is_cased = name == "lc" && major == 'l' && (minor == 'u' || minor == 'l' || minor == 't');
    if (!is_cased && (name.empty() || name[0] != major || name.size() > 2 || (name.size() == 2 && name[1] != minor))) continue;
    for (const CodePointRange& range : ranges(Category(i))) all.push_back(range);
  }
  if (all.empty()) return std::nullopt;
  return RangeSet(std::move(all));
}

}  // namespace

std::optional<RangeSet> named_set(std::string_view given) {
  const std::string name = plain(given);
  for (const auto& [script, set] : scripts) {
    if (name == script) return RangeSet(ranges(set));
  }
  if (name == "any") return RangeSet().complement();
  if (name == "ascii") return RangeSet({{0, 0x7f}});
  if (name == "space" || name == "whitespace")
    return RangeSet({{9, 13},
                     {0x20, 0x20},
                     {0x85, 0x85},
                     {0xa0, 0xa0},
                     {0x1680, 0x1680},
                     {0x2000, 0x200a},
                     {0x2028, 0x2029},
                     {0x202f, 0x202f},
                     {0x205f, 0x205f},
                     {0x3000, 0x3000}});
  if (name == "digit") return category_set("nd");
  if (name == "upper") return category_set("lu");
  if (name == "lower") return category_set("ll");
  if (name == "cntrl") return category_set("cc");
  if (name == "blank") return category_set("zs")->united(RangeSet::of('\t'));
  if (name == "xdigit") return RangeSet({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});
  if (name == "punct")
    return category_set("p")->united(RangeSet({{'$', '$'}, {'+', '+'}, {'<', '>'}, {'^', '^'}, {'`', '`'}, {'|', '|'}, {'~', '~'}}));
  for (const auto& [long_name, short_name] : long_names) {
    if (name == long_name) return category_set(short_name);
  }
  return category_set(name);
}

}  // namespace webformer
