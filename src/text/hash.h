#pragma once
// A fast hash of short texts. Tables that travel between threads hold its values, so it depends on nothing but the bytes.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace webformer {

constexpr std::uint64_t mix_bits(std::uint64_t value) noexcept {
  value *= 0x9e3779b97f4a7c15u;
  return value ^ (value >> 32);
}

inline std::uint64_t hash_text(std::string_view text) noexcept {
  std::uint64_t hash = text.size();
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t eight = 0;
  for (; left >= 8; left -= 8, at += 8) {
    std::memcpy(&eight, at, 8);
    hash = mix_bits(hash ^ eight);
  }
  eight = 0;
  if (left > 0) std::memcpy(&eight, at, left);
  hash = mix_bits(hash ^ eight);
  return hash ^ std::rotl(hash, 29) * 0xbf58476d1ce4e5b9u;
}

}  // namespace webformer
