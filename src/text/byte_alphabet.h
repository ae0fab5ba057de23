#pragma once
// GPT-2's alphabet: a visible character for each byte, so that any bytes can be written as text.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/utf8.h"

namespace webformer {

/// Printable bytes of Latin-1 stand for themselves, the others are U+0100 and on in their order.
inline constexpr std::array<char16_t, 256> byte_alphabet = [] {
  std::array<char16_t, 256> table{};
  char16_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool is_printable = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    table[byte] = is_printable ? char16_t(byte) : next++;
  }
  return table;
}();

constexpr std::optional<std::uint8_t> byte_of_character(char32_t c) noexcept {
  constexpr std::array<std::int16_t, 0x144> inverse = [] {
    std::array<std::int16_t, 0x144> table{};
    table.fill(-1);
    for (unsigned byte = 0; byte < 256; ++byte) table[byte_alphabet[byte]] = std::int16_t(byte);
    return table;
  }();
  if (c >= inverse.size() || inverse[c] < 0) return std::nullopt;
  return std::uint8_t(inverse[c]);
}

inline std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 4);
  for (const char byte : bytes) append_utf8(text, byte_alphabet[static_cast<unsigned char>(byte)]);
  return text;
}

}  // namespace webformer
