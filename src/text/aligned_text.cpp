#include "text/aligned_text.h"

#include <utility>

#include "text/byte_alphabet.h"

namespace webformer {

SourceSpan AlignedText::span(std::size_t at) const noexcept {
  if (!spans.empty()) return spans[at];
  while (at > 0 && is_utf8_continuation(text[at])) --at;
  const auto begin = std::uint32_t(base + at);
  return {begin, begin + std::uint32_t(utf8_width(text[at]))};
}

void AlignedText::spell_out() {
  if (!spans.empty()) return;
  spans.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t width = utf8_width(text[at]);
    const auto begin = std::uint32_t(base + at);
    spans.insert(spans.end(), width, {begin, begin + std::uint32_t(width)});
    at += width;
  }
}

Rewriter::Rewriter(const AlignedText& from, std::size_t removed) : from_(from) {
  to_.base = from.base;
  to_.text.reserve(from.text.size());
  for (; removed > 0 && at_ < from.text.size(); --removed) at_ += utf8_width(from.text[at_]);
}

void Rewriter::put(char32_t c, int change) {
  SourceSpan span{from_.base, from_.base};
  const std::size_t before = to_.text.size(), from_before = at_;
  if (change > 0) {
    if (at_ > 0) span = from_.span(at_ - 1);
  } else {
    if (at_ < from_.text.size()) span = from_.span(at_);
    for (; change <= 0 && at_ < from_.text.size(); ++change) at_ += utf8_width(from_.text[at_]);
  }
  append_utf8(to_.text, c);
  const std::size_t width = to_.text.size() - before;
  // As long as every character stands where it stood, with as many bytes, no spans are needed.
  const bool stays = from_.is_identity() && to_.spans.empty() && before == from_before && at_ == before + width &&
                     at_ <= from_.text.size() && utf8_width(from_.text[before]) == width;
  if (stays) return;
  if (to_.spans.empty() && before > 0) {
    to_.text.resize(before);
    to_.spell_out();
    append_utf8(to_.text, c);
  }
  to_.spans.insert(to_.spans.end(), width, span);
}

AlignedText Rewriter::finish() && {
  // What is cut off at the end leaves an identity; an empty text has no spans either way.
  return std::move(to_);
}

AlignedText replace_matches(const AlignedText& from, std::span<const PatternMatch> matches, std::string_view content) {
  AlignedText source = from;
  source.spell_out();
  AlignedText to;
  to.base = from.base;
  to.text.reserve(from.text.size());
  std::size_t at = 0;
  const auto copy_until = [&](std::size_t end) {
    to.text.append(source.text, at, end - at);
    to.spans.insert(to.spans.end(), source.spans.begin() + std::ptrdiff_t(at), source.spans.begin() + std::ptrdiff_t(end));
  };
  for (const PatternMatch& match : matches) {
    copy_until(match.begin);
    to.text.append(content);
    const SourceSpan span = match.end > 0 ? source.spans[match.end - 1] : SourceSpan{from.base, from.base};
    to.spans.insert(to.spans.end(), content.size(), span);
    at = match.end;
  }
  copy_until(source.text.size());
  return to;
}

void spell_bytes(AlignedText& text) {
  AlignedText result;
  result.base = text.base;
  text.spell_out();
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    append_utf8(result.text, byte_alphabet[static_cast<unsigned char>(text.text[i])]);
    result.spans.resize(result.text.size(), text.spans[i]);
  }
  text = std::move(result);
}

void prepend(AlignedText& text, std::string_view prefix) {
  if (text.text.empty() || prefix.empty()) return;
  const SourceSpan first = text.span(0);
  text.spell_out();
  text.text.insert(0, prefix);
  text.spans.insert(text.spans.begin(), prefix.size(), first);
}

}  // namespace webformer
