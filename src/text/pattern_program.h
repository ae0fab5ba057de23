#pragma once
// A pattern as instructions, and the classes of characters that it tells apart.

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/code_point_map.h"
#include "text/pattern_syntax.h"

namespace webformer {

struct PatternInstruction {
  enum class Kind : std::uint8_t { match, consume, split, assertion, lookahead };
  Kind kind = Kind::match;
  bool is_negative = false;  ///< of lookahead
  Assertion assertion = Assertion::text_begin;
  std::uint16_t next = 0;   ///< the first choice of a split
  std::uint16_t other = 0;  ///< the second choice of a split; where the body of a lookahead begins
  std::uint16_t set = 0;    ///< of consume: index of the program's sets
};

/// Instructions [begin, end), among which all edges but those to lookaheads of earlier regions stay.
struct PatternRegion {
  std::uint16_t begin, end;
};

struct PatternProgram {
  std::vector<PatternInstruction> code;
  std::vector<PatternRegion> regions;  ///< a lookahead's body comes before what looks at it; the last one is the pattern itself
  std::uint16_t start = 0;
  bool has_assertions = false;

  CodePointMap class_of;
  std::uint32_t class_count = 0;
  std::vector<std::vector<bool>> sets;    ///< of each set: which classes are in it
  std::vector<bool> is_word, is_newline;  ///< of each class, where the pattern has assertions
};

/// Throws unsupported_model where the pattern becomes too long.
PatternProgram compile_pattern(const PatternNode& tree, std::string_view syntax, std::string_view where);

}  // namespace webformer
