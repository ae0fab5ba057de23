#pragma once
// Tokens that stand for one byte: <0x00> to <0xFF>.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace webformer {

inline std::string byte_token(std::uint8_t byte) {
  constexpr char digits[] = "0123456789ABCDEF";
  return {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
}

constexpr std::optional<std::uint8_t> byte_of_token(std::string_view token) noexcept {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return std::nullopt;
  unsigned value = 0;
  for (const char c : token.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return std::nullopt;
    value = value * 16 + unsigned(digit);
  }
  return std::uint8_t(value);
}

}  // namespace webformer
