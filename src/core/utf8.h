#pragma once
// UTF-8 and UTF-16 of text that is known to be well-formed, and the one place where malformed text is repaired.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace webformer {

/// Bytes of the character that begins with this one, in well-formed UTF-8.
constexpr std::size_t utf8_width(char lead) noexcept {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

constexpr bool is_utf8_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// The character at `at`, which moves on to the next one. The text is well-formed.
constexpr char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return text[at++];
  if (lead < 0xe0) return at += 2, (lead & 0x1fu) << 6 | (byte(at - 1) & 0x3fu);
  if (lead < 0xf0) return at += 3, (lead & 0x0fu) << 12 | (byte(at - 2) & 0x3fu) << 6 | (byte(at - 1) & 0x3fu);
  return at += 4, (lead & 0x07u) << 18 | (byte(at - 3) & 0x3fu) << 12 | (byte(at - 2) & 0x3fu) << 6 | (byte(at - 1) & 0x3fu);
}

/// The beginning of the character before `at`, which is greater than 0.
constexpr std::size_t previous_code_point(std::string_view text, std::size_t at) noexcept {
  while (is_utf8_continuation(text[--at])) {
  }
  return at;
}

void append_utf8(std::string& text, char32_t c);
std::string to_utf8(char32_t c);
std::size_t count_code_points(std::string_view text) noexcept;

/// What the bytes at `at` are: a character of `width` bytes (is_valid), or a maximal part of one that is malformed (Unicode, 3.9, "best
/// practice"): `width` bytes that one U+FFFD stands for.
struct Utf8Step {
  std::size_t width;
  bool is_valid;
  bool is_cut;  ///< malformed only because the text ends here: more bytes could complete it
};
Utf8Step utf8_step(std::string_view bytes, std::size_t at) noexcept;

enum class Utf8Repair : std::uint8_t {
  each_part,  ///< one U+FFFD for each maximal malformed part, as Rust and browsers do
  each_byte,  ///< one for each byte of it, as SentencePiece does
};
/// The text with what is malformed replaced by U+FFFD; nothing where it is well-formed already. `places` gets where in the result each of
/// these begins.
std::optional<std::string> repair_utf8(std::string_view bytes, Utf8Repair how = Utf8Repair::each_part,
                                       std::vector<std::uint32_t>* places = nullptr);

}  // namespace webformer
