#include "text/pattern.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/utf8.h"
#include "text/pattern_program.h"

namespace webformer {
namespace {

constexpr std::size_t block_bytes = 1u << 15;  // the backward pass keeps one state a character for this much text
constexpr std::size_t max_kept_states = 4096;  // beyond that the automaton is built anew with the next block
constexpr std::uint32_t not_yet = ~0u;
constexpr std::uint16_t not_resolved = 0xffff;

/// The character before a position, as assertions ask for it.
enum Before : std::uint8_t { other_before, word_before, newline_before, nothing_before };

}  // namespace

class Pattern::Machine {
 public:
  explicit Machine(PatternProgram program)
      : program_(std::move(program)),
        words_((program_.code.size() + 63) / 64),
        columns_((program_.class_count + 1) * (program_.has_assertions ? 4 : 1)) {}

  void find_all(std::string_view text, std::vector<PatternMatch>& matches) {
    const std::vector<std::size_t> ends = block_ends(text);
    // What is marked where each block ends, from the last one to the first.
    std::vector<Marks> marks(ends.size());
    for (std::size_t block = ends.size() - 1; block > 0; --block) {
      run_back(text, ends[block - 1], ends[block], marks[block]);
      marks[block - 1] = copy_of(states_[0]);
    }
    Walk walk;
    for (std::size_t block = 0; block < ends.size(); ++block) {
      run_back(text, block == 0 ? 0 : ends[block - 1], ends[block], marks[block]);
      walk_block(text, ends[block], block + 1 == ends.size(), walk, matches);
    }
  }

 private:
  using Marks = std::vector<std::uint64_t>;  // a bit for each instruction from where a match can be had

  /// The forward pass between blocks.
  struct Walk {
    std::size_t at = 0;  // bytes
    std::size_t match_begin = 0;
    std::uint16_t instruction = 0;
    bool is_matching = false;
    std::size_t last_end = std::string_view::npos;  // of the match before
    bool skip_one = false;                          // an empty match was found or refused: the search goes on one character later
  };

  std::uint32_t end_class() const { return program_.class_count; }

  static std::vector<std::size_t> block_ends(std::string_view text) {
    std::vector<std::size_t> ends;
    for (std::size_t end = block_bytes; end < text.size(); end += block_bytes) {
      while (is_utf8_continuation(text[end])) --end;
      ends.push_back(end);
    }
    ends.push_back(text.size());
    return ends;
  }

  Marks copy_of(std::uint32_t state) const { return Marks(marks_.begin() + state * words_, marks_.begin() + (state + 1) * words_); }

  Before before(std::string_view text, std::size_t at) const {
    if (!program_.has_assertions) return other_before;
    if (at == 0) return nothing_before;
    std::size_t previous = previous_code_point(text, at);
    const std::uint8_t character = program_.class_of[next_code_point(text, previous)];
    return program_.is_word[character] ? word_before : program_.is_newline[character] ? newline_before : other_before;
  }

  /// states_[i] becomes the state of the i-th character from `begin`; the last one is that of `end`. `at_end` is empty for the end of the
  /// text.
  void run_back(std::string_view text, std::size_t begin, std::size_t end, const Marks& at_end) {
    if (marks_.size() / words_ > max_kept_states) forget();
    classes_.clear();
    for (std::size_t at = begin; at < end;) classes_.push_back(program_.class_of[next_code_point(text, at)]);
    states_.resize(classes_.size() + 1);
    std::uint32_t state = at_end.empty() ? step(empty_state(), end_class(), before(text, end)) : state_of(at_end);
    states_.back() = state;
    if (!program_.has_assertions) {
      for (std::size_t i = classes_.size(); i-- > 0;) states_[i] = state = step(state, classes_[i], other_before);
      return;
    }
    std::size_t at = end;
    for (std::size_t i = classes_.size(); i-- > 0;) {
      at = previous_code_point(text, at);
      states_[i] = state = step(state, classes_[i], before(text, at));
    }
  }

  void forget() {
    known_.clear();
    marks_.clear();
    steps_.clear();
    resolved_.clear();
  }

  std::uint32_t empty_state() { return state_of(Marks(words_)); }

  std::uint32_t state_of(const Marks& marks) {
    const auto [known, is_new] =
        known_.emplace(std::string(reinterpret_cast<const char*>(marks.data()), marks.size() * 8), std::uint32_t(known_.size()));
    if (is_new) {
      marks_.insert(marks_.end(), marks.begin(), marks.end());
      steps_.insert(steps_.end(), columns_, not_yet);
      resolved_.insert(resolved_.end(), program_.code.size(), not_resolved);
    }
    return known->second;
  }

  /// From the state after a character to the one before it.
  std::uint32_t step(std::uint32_t after, std::uint32_t character, Before before) {
    const std::size_t column = program_.has_assertions ? character * 4 + before : character;
    const std::uint32_t known = steps_[after * columns_ + column];
    if (known != not_yet) return known;
    const std::uint32_t state = state_of(marks_before(after, character, before));
    steps_[after * columns_ + column] = state;
    return state;
  }

  Marks marks_before(std::uint32_t after, std::uint32_t character, Before before) const {
    using Kind = PatternInstruction::Kind;
    Marks marks(words_);
    const auto has = [&](std::uint16_t i) { return (marks[i / 64] >> (i % 64)) & 1u; };
    const auto leads_on = [&](const PatternInstruction& instruction) -> bool {
      switch (instruction.kind) {
        case Kind::match: return true;
        case Kind::consume:
          return character != end_class() && program_.sets[instruction.set][character] && is_marked(after, instruction.next);
        case Kind::split: return has(instruction.next) || has(instruction.other);
        case Kind::assertion: return has(instruction.next) && holds(instruction.assertion, character, before);
        case Kind::lookahead: return has(instruction.next) && has(instruction.other) != instruction.is_negative;
      }
      return false;
    };
    for (const PatternRegion& region : program_.regions) {
      for (bool changed = true; changed;) {
        changed = false;
        for (std::uint16_t i = region.begin; i < region.end; ++i) {
          if (has(i) || !leads_on(program_.code[i])) continue;
          marks[i / 64] |= std::uint64_t(1) << (i % 64);
          changed = true;
        }
      }
    }
    return marks;
  }

  bool holds(Assertion assertion, std::uint32_t character, Before before) const {
    const bool at_end = character == end_class();
    const bool is_boundary = (before == word_before) != (!at_end && program_.is_word[character]);
    switch (assertion) {
      case Assertion::text_begin: return before == nothing_before;
      case Assertion::text_end: return at_end;
      case Assertion::line_begin: return before == nothing_before || (before == newline_before && !at_end);
      case Assertion::line_end: return at_end || program_.is_newline[character];
      case Assertion::word_boundary: return is_boundary;
      case Assertion::no_word_boundary: return !is_boundary;
    }
    return false;
  }

  bool is_marked(std::uint32_t state, std::uint16_t i) const { return (marks_[state * words_ + i / 64] >> (i % 64)) & 1u; }

  /// The first choice that leads to a match: the instruction that takes a character, or the match.
  std::uint16_t resolve(std::uint32_t state, std::uint16_t instruction) {
    std::uint16_t& known = resolved_[state * program_.code.size() + instruction];
    if (known != not_resolved) return known;
    std::vector<bool> seen(program_.code.size());
    std::vector<std::uint16_t> choices{instruction};
    while (!choices.empty()) {
      const std::uint16_t i = choices.back();
      choices.pop_back();
      if (seen[i] || !is_marked(state, i)) continue;
      seen[i] = true;
      const PatternInstruction& code = program_.code[i];
      if (code.kind == PatternInstruction::Kind::match || code.kind == PatternInstruction::Kind::consume) return known = i;
      if (code.kind == PatternInstruction::Kind::split) choices.push_back(code.other);
      choices.push_back(code.next);
    }
    return known = instruction;  // not reached: a marked instruction leads to a match
  }

  void walk_block(std::string_view text, std::size_t end, bool is_last, Walk& walk, std::vector<PatternMatch>& matches) {
    const std::uint16_t start = program_.start;
    std::size_t i = 0;
    const auto advance = [&] {
      walk.at += utf8_width(text[walk.at]);
      ++i;
    };
    for (;;) {
      if (walk.at >= end && !(is_last && walk.at == end)) return;
      if (walk.skip_one) {
        if (walk.at >= end) return;
        advance();
        walk.skip_one = false;
        continue;
      }
      if (!walk.is_matching) {
        while (!is_marked(states_[i], start) && walk.at < end) advance();
        if (!is_marked(states_[i], start) || (walk.at == end && !is_last)) return;
        walk.is_matching = true;
        walk.match_begin = walk.at;
        walk.instruction = start;
      }
      walk.instruction = resolve(states_[i], walk.instruction);
      const PatternInstruction& code = program_.code[walk.instruction];
      if (code.kind == PatternInstruction::Kind::consume) {
        walk.instruction = code.next;
        advance();
        continue;
      }
      const bool is_empty = walk.at == walk.match_begin;
      if (!is_empty || walk.at != walk.last_end) {
        matches.push_back({walk.match_begin, walk.at});
        walk.last_end = walk.at;
      }
      walk.skip_one = is_empty;
      walk.is_matching = false;
    }
  }

  PatternProgram program_;
  std::size_t words_, columns_;
  std::vector<std::uint8_t> classes_;
  std::vector<std::uint32_t> states_;
  // The automaton: states are sets of marks.
  std::unordered_map<std::string, std::uint32_t> known_;
  std::vector<std::uint64_t> marks_;     // words_ a state
  std::vector<std::uint32_t> steps_;     // columns_ a state
  std::vector<std::uint16_t> resolved_;  // one an instruction a state
};

Pattern::Pattern(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Pattern Pattern::compile(std::string_view syntax, std::string_view where) {
  return Pattern(std::make_unique<Machine>(compile_pattern(parse_pattern(syntax, where), syntax, where)));
}

void Pattern::find_all(std::string_view text, std::vector<PatternMatch>& matches) const { machine_->find_all(text, matches); }

}  // namespace webformer
