#pragma once
// Well-formed UTF-8 (Unicode, table 3-7): what foreign bytes are checked with.

#include <cstddef>
#include <string>
#include <string_view>

namespace webformer {

/// Bytes of the character at `at`: 1 to 4, or 0 where it is malformed (overlong, a surrogate, beyond U+10FFFF, or cut off).
constexpr std::size_t utf8_length(std::string_view text, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto within = [&](std::size_t i, unsigned least, unsigned most) { return byte(i) >= least && byte(i) <= most; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return at < text.size() ? 1 : 0;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return within(1, 0x80, 0xbf) ? 2 : 0;
  const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (lead > 0xf4 || !within(1, least, most) || !within(2, 0x80, 0xbf)) return 0;
  if (lead < 0xf0) return 3;
  return within(3, 0x80, 0xbf) ? 4 : 0;
}

constexpr bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// The beginning of a text, for an error message.
inline std::string shortened(std::string_view text, std::size_t most = 60) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace webformer
