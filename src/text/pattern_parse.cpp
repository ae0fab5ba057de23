#include <string>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/pattern_syntax.h"

namespace webformer {
namespace {

using Kind = PatternNode::Kind;

constexpr std::uint32_t max_repeat = 1000;
constexpr unsigned max_depth = 100;

PatternNode characters(RangeSet set) {
  PatternNode node;
  node.kind = Kind::characters;
  node.set = std::move(set);
  return node;
}

PatternNode with_children(Kind kind, std::vector<PatternNode> children) {
  PatternNode node;
  node.kind = kind;
  node.children = std::move(children);
  return node;
}

PatternNode repeat(PatternNode child, std::uint32_t least, std::optional<std::uint32_t> most) {
  PatternNode node;
  node.kind = Kind::repeat;
  node.children.push_back(std::move(child));
  node.least = least;
  node.most = most;
  return node;
}

PatternNode lookahead(PatternNode child, bool is_negative) {
  PatternNode node;
  node.kind = Kind::lookahead;
  node.children.push_back(std::move(child));
  node.is_negative = is_negative;
  return node;
}

PatternNode assertion(Assertion what) {
  PatternNode node;
  node.kind = Kind::assertion;
  node.assertion = what;
  return node;
}

class Parser {
 public:
  Parser(std::string_view syntax, std::string_view where) : text_(syntax), where_(where) {}

  PatternNode parse() {
    if (repair_utf8(text_)) wrong("is not UTF-8");
    PatternNode node = alternatives();
    if (!at_end()) wrong("has a ) without its (");
    return node;
  }

 private:
  struct Flags {
    bool ignore_case = false, dot_is_all = false;
  };

  [[noreturn]] void wrong(std::string_view what) const {
    throw Error(Code::invalid_file, "{}: the pattern \"{}\" {}, at byte {}", where_, text_, what, at_).with("pattern", text_);
  }
  [[noreturn]] void unsupported(std::string_view what) const {
    throw Error(Code::unsupported_model, "{}: the pattern \"{}\" has {}, which is not supported", where_, text_, what)
        .with("pattern", text_);
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool next_is(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool take(std::string_view what) {
    if (!next_is(what)) return false;
    at_ += what.size();
    return true;
  }
  char32_t take_code_point() {
    if (at_end()) wrong("ends too early");
    return next_code_point(text_, at_);
  }

  PatternNode alternatives() {
    if (++depth_ > max_depth) unsupported("groups nested over 100 deep");
    const Flags outer = flags_;
    std::vector<PatternNode> list;
    do list.push_back(sequence());
    while (take("|"));
    flags_ = outer;
    --depth_;
    return list.size() == 1 ? std::move(list[0]) : with_children(Kind::alternatives, std::move(list));
  }

  PatternNode sequence() {
    std::vector<PatternNode> list;
    while (!at_end() && peek() != '|' && peek() != ')') {
      if (take("(?#")) {
        while (!take(")")) take_code_point();
        continue;
      }
      if (is_flag_switch()) {  // (?i) holds to the end of its group, alternatives included
        list.push_back(alternatives());
        break;
      }
      list.push_back(quantified(atom()));
    }
    return with_children(Kind::sequence, std::move(list));
  }

  /// (?i) and the like; leaves everything as it was where something else follows.
  bool is_flag_switch() {
    if (!next_is("(?")) return false;
    const std::size_t start = at_;
    const Flags before = flags_;
    at_ += 2;
    if (read_flags() && take(")")) return true;
    at_ = start;
    flags_ = before;
    return false;
  }

  bool read_flags() {
    bool any = false, on = true;
    for (;; ++at_, any = true) {
      if (peek() == '-') on = false;
      else if (peek() == 'i') flags_.ignore_case = on;
      else if (peek() == 'm') flags_.dot_is_all = on;
      else if (peek() == 'x' && (next_is("x)") || next_is("x:") || next_is("x-"))) unsupported("(?x)");
      else return any;
    }
  }

  PatternNode atom() {
    const char c = peek();
    if (c == '(') return group();
    if (c == '[') return characters(folded(character_class()));
    if (c == '\\') return escape();
    if (c == '*' || c == '+' || c == '?') wrong("has nothing to repeat");
    if (take(".")) return characters(flags_.dot_is_all ? RangeSet().complement() : RangeSet::of('\n').complement());
    if (take("^")) return assertion(Assertion::line_begin);
    if (take("$")) return assertion(Assertion::line_end);
    return characters(folded(RangeSet::of(take_code_point())));
  }

  RangeSet folded(RangeSet set) const { return flags_.ignore_case ? set.closed_over_case() : set; }

  PatternNode group() {
    ++at_;
    PatternNode node;
    const Flags outer = flags_;
    if (take("?=")) {
      node = lookahead(alternatives(), false);
    } else if (take("?!")) {
      node = lookahead(alternatives(), true);
    } else if (take("?>")) {
      node = atomic(alternatives());
    } else if (next_is("?<=") || next_is("?<!")) {
      unsupported("a lookbehind (?<= or (?<!");
    } else if (next_is("?<") || next_is("?'")) {
      const char close = text_[at_ + 1] == '<' ? '>' : '\'';
      at_ += 2;
      while (take_code_point() != char32_t(close)) {
      }
      node = alternatives();
    } else if (take("?")) {
      if (peek() != ':') {
        if (!read_flags()) unsupported("the group (?" + std::string(1, peek()));
      }
      if (!take(":")) wrong("has a group of unknown kind");
      node = alternatives();
    } else {
      node = alternatives();
    }
    flags_ = outer;
    if (!take(")")) wrong("has a ( without its )");
    return node;
  }

  /// What a possessive quantifier or an atomic group takes is never given back. For one character that is told by what follows.
  PatternNode atomic(PatternNode node) {
    while (node.kind == Kind::sequence && node.children.size() == 1) node = PatternNode(std::move(node.children[0]));
    if (node.kind == Kind::characters) return node;
    if (node.kind != Kind::repeat || node.is_lazy || node.children[0].kind != Kind::characters) {
      unsupported("a possessive quantifier or an atomic group of more than one character");
    }
    const PatternNode none_follows = lookahead(node.children[0], true);
    if (!node.most) return with_children(Kind::sequence, {node, none_follows});
    if (*node.most <= node.least) return node;
    const PatternNode all = repeat(node.children[0], *node.most, *node.most), fewer = repeat(node.children[0], node.least, *node.most - 1);
    return with_children(Kind::alternatives, {all, with_children(Kind::sequence, {fewer, none_follows})});
  }

  PatternNode quantified(PatternNode node) {
    for (;;) {
      const std::size_t start = at_;
      std::uint32_t least = 0;
      std::optional<std::uint32_t> most;
      bool is_interval = false;
      if (take("*")) {
      } else if (take("+")) {
        least = 1;
      } else if (take("?")) {
        most = 1;
      } else if (peek() == '{' && read_interval(least, most)) {
        is_interval = true;
      } else {
        at_ = start;
        return node;
      }
      node = repeat(std::move(node), least, most);
      // In Ruby's syntax {n,m}+ is no possessive quantifier but one repeated, and {n}? is an optional {n}.
      if (!(is_interval && most == least) && take("?")) node.is_lazy = true;
      else if (!is_interval && take("+")) node = atomic(std::move(node));
    }
  }

  /// {n}, {n,}, {,m}, {n,m}; anything else in braces is literal.
  bool read_interval(std::uint32_t& least, std::optional<std::uint32_t>& most) {
    ++at_;
    const auto low = number();
    if (take(",")) {
      most = number();
      if (!low && !most) return false;
    } else {
      most = low;
      if (!low) return false;
    }
    least = low.value_or(0);
    if (!take("}")) return false;
    if (most && *most < least) wrong("has a repetition {n,m} with n over m");
    return true;
  }

  std::optional<std::uint32_t> number() {
    std::optional<std::uint32_t> value;
    while (peek() >= '0' && peek() <= '9') {
      value = value.value_or(0) * 10 + std::uint32_t(text_[at_++] - '0');
      if (*value > max_repeat) unsupported("a repetition of over 1000");
    }
    return value;
  }

  PatternNode escape() {
    if (take("\\b")) return assertion(Assertion::word_boundary);
    if (take("\\B")) return assertion(Assertion::no_word_boundary);
    if (take("\\A")) return assertion(Assertion::text_begin);
    if (take("\\z")) return assertion(Assertion::text_end);
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c >= '1' && c <= '9') unsupported(std::string("a backreference \\") + c);
    if (std::string_view("ZGKRXkgcCMyYNO").find(c) != std::string_view::npos && c != '\0') unsupported(std::string("\\") + c);
    return characters(folded(escaped_set()));
  }

  /// \d, \p{L}, \n, \x41 … where a class may stand as well.
  RangeSet escaped_set() {
    ++at_;
    if (next_is("p{") || next_is("P{")) return property();
    const char32_t c = take_code_point();
    switch (c) {
      case 'd': return *named_set("nd");
      case 'D': return named_set("nd")->complement();
      case 's': return *named_set("space");
      case 'S': return named_set("space")->complement();
      case 'w': return *named_set("word");
      case 'W': return named_set("word")->complement();
      case 'h': return *named_set("xdigit");
      case 'H': return named_set("xdigit")->complement();
      default: return RangeSet::of(escaped_character(c));
    }
  }

  char32_t escaped_character(char32_t c) {
    switch (c) {
      case 't': return '\t';
      case 'n': return '\n';
      case 'r': return '\r';
      case 'f': return '\f';
      case 'v': return '\v';
      case 'a': return '\a';
      case 'e': return 0x1b;
      case 'u': return digits(16, 4, 4);
      case '0': return digits(8, 0, 2);
      case 'x': {
        if (!take("{")) return digits(16, 1, 2);
        const char32_t value = digits(16, 1, 8);
        if (!take("}")) wrong("has a \\x{ without its }");
        return value;
      }
      default: return c;
    }
  }

  char32_t digits(unsigned base, unsigned least, unsigned most) {
    char32_t value = 0;
    unsigned count = 0;
    for (; count < most && !at_end(); ++count, ++at_) {
      const char c = peek();
      const unsigned digit = c >= '0' && c <= '9'                 ? unsigned(c - '0')
                             : (c | 32) >= 'a' && (c | 32) <= 'f' ? unsigned((c | 32) - 'a' + 10)
                                                                  : 99;
      if (digit >= base) break;
      value = value * base + digit;
    }
    if (count < least || value > max_code_point) wrong("has an escape that is no character");
    return value;
  }

  RangeSet property() {
    bool is_negative = text_[at_] == 'P';
    at_ += 2;
    if (take("^")) is_negative = !is_negative;
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos) wrong("has a \\p{ without its }");
    const std::string_view name = text_.substr(at_, end - at_);
    const auto set = named_set(name);
    if (!set) unsupported("the property \\p{" + std::string(name) + "}");
    at_ = end + 1;
    return is_negative ? set->complement() : *set;
  }

  /// From [ to its ].
  RangeSet character_class() {
    if (++depth_ > max_depth) unsupported("classes nested over 100 deep");
    ++at_;
    const bool is_negative = take("^");
    RangeSet all = RangeSet().complement(), current;
    for (bool is_first = true; is_first || peek() != ']'; is_first = false) {
      if (at_end()) wrong("has a [ without its ]");
      if (take("&&")) {
        all = all.intersected(current);
        current = RangeSet();
      } else {
        current = current.united(class_item());
      }
    }
    ++at_;
    --depth_;
    all = all.intersected(flags_.ignore_case ? current.closed_over_case() : current);
    return is_negative ? all.complement() : all;
  }

  RangeSet class_item() {
    if (take("[:")) {
      const bool is_negative = take("^");
      const std::size_t end = text_.find(":]", at_);
      if (end == std::string_view::npos) wrong("has a [: without its :]");
      const std::string_view name = text_.substr(at_, end - at_);
      const auto set = bracket_set(name);
      if (!set) unsupported("the class [:" + std::string(name) + ":]");
      at_ = end + 2;
      return is_negative ? set->complement() : *set;
    }
    if (peek() == '[') return character_class();
    RangeSet item = class_member();
    const bool is_one = item.ranges().size() == 1 && item.ranges()[0].first == item.ranges()[0].last;
    if (!is_one || !next_is("-") || next_is("-]") || next_is("-[")) return item;
    const std::size_t dash = at_++;
    const RangeSet last = class_member();
    if (last.ranges().size() != 1 || last.ranges()[0].first != last.ranges()[0].last) {
      at_ = dash;
      return item;
    }
    const CodePointRange range{item.ranges()[0].first, last.ranges()[0].first};
    if (range.last < range.first) wrong("has a class with an empty range");
    return RangeSet({range});
  }

  RangeSet class_member() {
    if (peek() != '\\') return RangeSet::of(take_code_point());
    if (take("\\b")) return RangeSet::of('\b');
    return escaped_set();
  }

  std::string_view text_, where_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  Flags flags_;
};

}  // namespace

PatternNode parse_pattern(std::string_view syntax, std::string_view where) { return Parser(syntax, where).parse(); }

}  // namespace webformer
