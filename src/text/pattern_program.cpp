#include "text/pattern_program.h"

#include <algorithm>
#include <map>

#include "core/error.h"

namespace webformer {
namespace {

using Code = PatternInstruction::Kind;
using Kind = PatternNode::Kind;

constexpr std::size_t max_instructions = 4000;
constexpr std::size_t max_classes = 250;

class Compiler {
 public:
  Compiler(std::string_view syntax, std::string_view where) : syntax_(syntax), where_(where) {}

  PatternProgram compile(const PatternNode& tree) {
    program_.start = region(tree);
    make_classes();
    return std::move(program_);
  }

 private:
  [[noreturn]] void too_long(std::string_view what) const {
    throw Error(webformer::Code::unsupported_model, "{}: the pattern \"{}\" has too many {}", where_, syntax_, what)
        .with("pattern", syntax_);
  }

  std::uint16_t add(PatternInstruction instruction) {
    if (program_.code.size() >= max_instructions) too_long("parts, 4000 at most");
    program_.code.push_back(instruction);
    return std::uint16_t(program_.code.size() - 1);
  }

  /// Lookaheads within come first, each as a region of its own. Returns where it starts.
  std::uint16_t region(const PatternNode& tree) {
    collect_lookaheads(tree);
    const std::size_t begin = program_.code.size();
    const std::uint16_t start = emit(tree, add({}));
    program_.regions.push_back({std::uint16_t(begin), std::uint16_t(program_.code.size())});
    return start;
  }

  void collect_lookaheads(const PatternNode& node) {
    if (node.kind == Kind::lookahead) {
      if (!bodies_.contains(&node)) {
        const std::uint16_t start = region(node.children[0]);
        bodies_.emplace(&node, start);
      }
      return;
    }
    for (const PatternNode& child : node.children) collect_lookaheads(child);
  }

  /// Instructions are made from the end: where it begins, given where it goes on.
  std::uint16_t emit(const PatternNode& node, std::uint16_t next) {
    switch (node.kind) {
      case Kind::sequence:
        for (std::size_t i = node.children.size(); i-- > 0;) next = emit(node.children[i], next);
        return next;
      case Kind::alternatives: {
        std::uint16_t start = emit(node.children.back(), next);
        for (std::size_t i = node.children.size() - 1; i-- > 0;) {
          const std::uint16_t first = emit(node.children[i], next);
          start = add({.kind = Code::split, .next = first, .other = start});
        }
        return start;
      }
      case Kind::characters: return add({.kind = Code::consume, .next = next, .set = set_index(node.set)});
      case Kind::assertion:
        program_.has_assertions = true;
        return add({.kind = Code::assertion, .assertion = node.assertion, .next = next});
      case Kind::lookahead:
        return add({.kind = Code::lookahead, .is_negative = node.is_negative, .next = next, .other = bodies_.at(&node)});
      case Kind::repeat: return emit_repeat(node, next);
    }
    return next;
  }

  std::uint16_t emit_repeat(const PatternNode& node, std::uint16_t next) {
    const PatternNode& child = node.children[0];
    const auto split = [&](std::uint16_t body, std::uint16_t exit) {
      return add({.kind = Code::split, .next = node.is_lazy ? exit : body, .other = node.is_lazy ? body : exit});
    };
    if (node.most) {
      const std::uint16_t exit = next;
      for (std::uint32_t i = node.least; i < *node.most; ++i) next = split(emit(child, next), exit);
    } else {
      const std::uint16_t loop = split(0, next);
      const std::uint16_t body = emit(child, loop);
      (node.is_lazy ? program_.code[loop].other : program_.code[loop].next) = body;
      next = loop;
    }
    for (std::uint32_t i = 0; i < node.least; ++i) next = emit(child, next);
    return next;
  }

  std::uint16_t set_index(const RangeSet& set) {
    const auto found = std::ranges::find(sets_, set);
    if (found == sets_.end()) sets_.push_back(set);
    return std::uint16_t(std::ranges::find(sets_, set) - sets_.begin());
  }

  /// Characters that all sets treat alike are one class.
  void make_classes() {
    const std::size_t set_count = sets_.size();
    if (program_.has_assertions) {
      sets_.push_back(*named_set("word"));
      sets_.push_back(RangeSet::of('\n'));
    }
    std::map<char32_t, std::vector<std::size_t>> changes;  // code point -> sets that begin or end there
    changes[0];
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      for (const CodePointRange& range : sets_[i].ranges()) {
        changes[range.first].push_back(i);
        if (range.last < max_code_point) changes[range.last + 1].push_back(i);
      }
    }
    std::map<std::vector<bool>, std::uint8_t> classes;
    std::vector<bool> within(sets_.size());
    std::vector<std::vector<bool>> members;  // of each class: the sets that have it
    CodePointMap::Builder builder;
    for (auto change = changes.begin(); change != changes.end();) {
      for (const std::size_t set : change->second) within[set] = !within[set];
      const auto [known, is_new] = classes.emplace(within, std::uint8_t(members.size()));
      if (is_new) members.push_back(within);
      if (members.size() > max_classes) too_long("different characters, 250 kinds at most");
      const char32_t from = change->first;
      ++change;
      builder.append((change == changes.end() ? max_code_point + 1 : change->first) - from, known->second);
    }
    program_.class_of = builder.finish();
    program_.class_count = std::uint32_t(members.size());
    const auto members_of = [&](std::size_t set) {
      std::vector<bool> result(members.size());
      for (std::size_t i = 0; i < members.size(); ++i) result[i] = members[i][set];
      return result;
    };
    for (std::size_t set = 0; set < set_count; ++set) program_.sets.push_back(members_of(set));
    if (program_.has_assertions) {
      program_.is_word = members_of(set_count);
      program_.is_newline = members_of(set_count + 1);
    }
  }

  std::string_view syntax_, where_;
  PatternProgram program_;
  std::vector<RangeSet> sets_;
  std::map<const PatternNode*, std::uint16_t> bodies_;
};

}  // namespace

PatternProgram compile_pattern(const PatternNode& tree, std::string_view syntax, std::string_view where) {
  return Compiler(syntax, where).compile(tree);
}

}  // namespace webformer
