#pragma once
// A regular expression as a tree, and how its text is read.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/range_set.h"

namespace webformer {

enum class Assertion : std::uint8_t { text_begin, text_end, line_begin, line_end, word_boundary, no_word_boundary };

struct PatternNode {
  enum class Kind : std::uint8_t { sequence, alternatives, characters, repeat, assertion, lookahead };
  Kind kind = Kind::sequence;
  std::vector<PatternNode> children;  ///< of sequence and alternatives; the one of repeat and lookahead
  RangeSet set;                       ///< of characters
  std::uint32_t least = 0;            ///< of repeat
  std::optional<std::uint32_t> most;  ///< absent: any number
  bool is_lazy = false;
  bool is_negative = false;  ///< of lookahead
  Assertion assertion = Assertion::text_begin;
};

/// What \p{name} stands for, without regard to case, spaces, - and _; nothing for an unknown name.
std::optional<RangeSet> named_set(std::string_view name);
/// What [[:name:]] stands for, which Oniguruma does not always take for the same.
std::optional<RangeSet> bracket_set(std::string_view name);

/// Oniguruma's Ruby syntax. Throws as Pattern::compile() does.
PatternNode parse_pattern(std::string_view syntax, std::string_view where);

}  // namespace webformer
