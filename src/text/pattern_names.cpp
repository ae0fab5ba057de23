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

RangeSet united(std::string_view category, const RangeSet& others) { return category_set(category)->united(others); }

/// What is seen: neither white space, nor a control, a surrogate or unassigned.
RangeSet graph() { return united("cc", united("cn", united("cs", *named_set("space")))).complement(); }

/// Oniguruma's names that are no category; the properties Uppercase, Lowercase and Alphabetic among them.
std::optional<RangeSet> property_set(std::string_view name) {
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
  if (name == "upper" || name == "uppercase")
    return united("lu", RangeSet({{0x2160, 0x216f}, {0x24b6, 0x24cf}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}}));
  if (name == "lower" || name == "lowercase") return united("ll", RangeSet(ranges(CharSet::other_lowercase)));
  if (name == "alpha" || name == "alphabetic") return united("l", united("nl", RangeSet(ranges(CharSet::other_alphabetic))));
  if (name == "alnum") return united("nd", *property_set("alpha"));
  if (name == "punct") return category_set("p");
  if (name == "graph") return graph();
  if (name == "print") return united("zs", graph());
  if (name == "cntrl") return category_set("cc");
  if (name == "blank") return united("zs", RangeSet::of('\t'));
  if (name == "xdigit") return RangeSet({{'0', '9'}, {'A', 'F'}, {'a', 'f'}});
  return std::nullopt;
}

}  // namespace

std::optional<RangeSet> bracket_set(std::string_view name) {
  if (name == "punct") return united("p", *category_set("s"));
  if (name == "word") {
    const RangeSet not_in_brackets({{0xb2, 0xb3}, {0xb9, 0xb9}, {0xbc, 0xbe}});
    return RangeSet(ranges(CharSet::regex_word)).intersected(not_in_brackets.complement());
  }
  return name.size() < 4 ? std::nullopt : named_set(name);
}

std::optional<RangeSet> named_set(std::string_view given) {
  const std::string name = plain(given);
  for (const auto& [script, set] : scripts) {
    if (name == script) return RangeSet(ranges(set));
  }
  if (auto set = property_set(name)) return set;
  for (const auto& [long_name, short_name] : long_names) {
    if (name == long_name) return category_set(short_name);
  }
  return category_set(name);
}

}  // namespace webformer
