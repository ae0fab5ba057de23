#pragma once
// The one regular expression engine. Time is linear in the text, whatever the pattern and the text are.
//
// It finds what Oniguruma finds (Ruby's syntax: the first alternative that leads to a match wins), in two passes, as in A. Frisch and L.
// Cardelli, "Greedy regular expression matching" (ICALP 2004): backwards a lazily built automaton marks, for each position, the places of
// the pattern from where a match is still to be had; forwards the pattern is walked with that knowledge, so no choice is ever taken back.

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace webformer {

struct PatternMatch {
  std::size_t begin, end;  ///< bytes
  bool operator==(const PatternMatch&) const = default;
};

/// Built: literals, escapes, . ^ $ \A \z \b \B, classes ([a-z&&[^b]], \p{L}, \p{^L}, \P{Han}, \d \s \w \h, [[:space:]]), groups, (?i: )
/// (?m: ), |, greedy, lazy and (of one character) possessive quantifiers, lookahead. Not built: backreferences, lookbehind, atomic groups
/// of more than one character, conditionals, calls, \G \K \R \X \Z, (?x).
class Pattern {
 public:
  /// `where` begins the error message. Throws unsupported_model for what is not built, naming it, and invalid_file for wrong syntax.
  static Pattern compile(std::string_view syntax, std::string_view where);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  /// All matches from left to right; they do not overlap. An empty match is not taken right after another match. `text` is well-formed
  /// UTF-8. The automaton grows as it runs: not for two threads at once.
  void find_all(std::string_view text, std::vector<PatternMatch>& matches) const;

 private:
  class Machine;
  explicit Pattern(std::unique_ptr<Machine> machine);
  std::unique_ptr<Machine> machine_;
};

}  // namespace webformer
