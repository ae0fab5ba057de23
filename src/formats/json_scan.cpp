#include "formats/json_scan.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "core/utf8.h"

namespace webformer {

namespace {

/// One value, read token by token. Each take_* advances over what it names, or stops in front of the fault.
class Scanner {
 public:
  Scanner(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {
    if (text.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  JsonScan run() && {
    while (take_token()) {
    }
    result_.position = at_;
    return std::move(result_);
  }

 private:
  enum class Next { value, item_or_end, name, name_or_end, comma_or_end };

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool is_digit() const { return peek() >= '0' && peek() <= '9'; }
  bool fault(std::string_view expected) {
    result_.expected = expected;
    return false;
  }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void take_space() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')) ++at_;
  }
  bool close() {
    open_.pop_back();
    next_ = Next::comma_or_end;
    return true;
  }

  /// False at the end and at a fault.
  bool take_token() {
    take_space();
    switch (next_) {
      case Next::name_or_end:
        if (take('}')) return close();
        [[fallthrough]];
      case Next::name:
        if (peek() != '"') return fault("a name in quotes");
        if (!take_string()) return false;
        take_space();
        if (!take(':')) return fault("a colon");
        next_ = Next::value;
        return true;
      case Next::item_or_end:
        if (take(']')) return close();
        [[fallthrough]];
      case Next::value:
        return take_value();
      case Next::comma_or_end:
        if (open_.empty()) return at_ == text_.size() ? false : fault("the end of the text");
        if (take(open_.back() == '{' ? '}' : ']')) return close();
        if (!take(',')) return fault(open_.back() == '{' ? "a comma or a closing brace" : "a comma or a closing bracket");
        next_ = open_.back() == '{' ? Next::name : Next::value;
        return true;
    }
    return false;
  }

  bool take_value() {
    next_ = Next::comma_or_end;
    switch (peek()) {
      case '{': case '[':
        if (open_.size() == max_depth_) return fault("less nesting");
        open_.push_back(peek());
        next_ = text_[at_++] == '{' ? Next::name_or_end : Next::item_or_end;
        return true;
      case '"': return take_string();
      case 't': return take_word("true");
      case 'f': return take_word("false");
      case 'n': return take_word("null");
      default: return take_number();
    }
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return fault("a value");
    at_ += word.size();
    return true;
  }

  bool take_number() {
    const std::size_t start = at_;
    take('-');
    if (!is_digit()) return fault(at_ == start ? "a value" : "a digit");
    if (!take('0')) take_digits();
    bool whole = true;
    if (take('.')) {
      whole = false;
      if (!take_digits()) return fault("a digit");
    }
    if (take('e') || take('E')) {
      whole = false;
      if (!take('+')) take('-');
      if (!take_digits()) return fault("a digit");
    }
    if (whole && !fits_64_bits(text_.substr(start, at_ - start))) result_.big_integers.push_back(at_);
    return true;
  }

  bool take_digits() {
    const std::size_t start = at_;
    while (is_digit()) ++at_;
    return at_ > start;
  }

  static bool fits_64_bits(std::string_view digits) {
    const auto fits = [&](auto number) { return std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc(); };
    return digits.starts_with('-') ? fits(std::int64_t()) : fits(std::uint64_t());
  }

  bool take_string() {
    for (++at_; at_ < text_.size();) {
      if (take('"')) return true;
      if (take('\\')) {
        if (!take_escape()) return false;
      } else {
        if (static_cast<unsigned char>(peek()) < 0x20) return fault("an escaped control character");
        const Utf8Step step = utf8_step(text_, at_);
        if (!step.is_valid) return fault("UTF-8");
        at_ += step.width;
      }
    }
    return fault("a closing quote");
  }

  bool take_escape() {
    if (!take('u')) {
      constexpr std::string_view escapable = "\"\\/bfnrt";
      if (at_ == text_.size() || escapable.find(peek()) == std::string_view::npos) return fault("an escaped character");
      ++at_;
      return true;
    }
    const unsigned first = take_hex();
    if (first == no_hex) return fault("four hexadecimal digits");
    if (first >= 0xdc00 && first < 0xe000) return fault("a high surrogate first");
    if (first < 0xd800 || first >= 0xdc00) return true;
    if (!take('\\') || !take('u')) return fault("a low surrogate");
    const unsigned second = take_hex();
    return (second >= 0xdc00 && second < 0xe000) || fault("a low surrogate");
  }

  static constexpr unsigned no_hex = 0x10000;
  unsigned take_hex() {
    const std::string_view digits = text_.substr(at_, 4);
    unsigned value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() < 4 || result.ptr != digits.data() + 4) return no_hex;
    at_ += 4;
    return value;
  }

  std::string_view text_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  Next next_ = Next::value;
  std::string open_;  // the braces and brackets around this place
  JsonScan result_;
};

}  // namespace

JsonScan scan_json(std::string_view text, std::size_t max_depth) { return Scanner(text, max_depth).run(); }

}  // namespace webformer
