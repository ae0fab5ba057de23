#include "core/utf8.h"

#include <cstring>

namespace webformer {

void append_utf8(std::string& text, char32_t c) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

std::string to_utf8(char32_t c) {
  std::string text;
  append_utf8(text, c);
  return text;
}

std::size_t count_code_points(std::string_view text) noexcept {
  std::size_t count = 0;
  for (const char byte : text) count += !is_utf8_continuation(byte);
  return count;
}

Utf8Step utf8_step(std::string_view bytes, std::size_t at) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
  const std::size_t left = bytes.size() - at;
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true, false};
  if (lead < 0xc2 || lead > 0xf4) return {1, false, false};
  const std::size_t width = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte is limited further, against overlong forms, surrogates and what is beyond U+10FFFF (Unicode, table 3-7).
  const unsigned least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < width; ++i) {
    if (i == left) return {i, false, true};
    if (i == 1 ? byte(1) < least || byte(1) > most : (byte(i) & 0xc0) != 0x80) return {i, false, false};
  }
  return {width, true, false};
}

std::optional<std::string> repair_utf8(std::string_view bytes, Utf8Repair how, std::vector<std::uint32_t>* places) {
  std::optional<std::string> repaired;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t eight;
    if (at + 8 <= bytes.size() && (std::memcpy(&eight, bytes.data() + at, 8), (eight & 0x8080808080808080u) == 0)) {
      if (repaired) repaired->append(bytes, at, 8);
      at += 8;
      continue;
    }
    const Utf8Step step = utf8_step(bytes, at);
    if (!step.is_valid && !repaired) {
      repaired.emplace();
      repaired->reserve(bytes.size() + 16);
      repaired->append(bytes, 0, at);
    }
    if (step.is_valid) {
      if (repaired) repaired->append(bytes, at, step.width);
    } else {
      for (std::size_t i = 0; i < (how == Utf8Repair::each_byte ? step.width : 1); ++i) {
        if (places) places->push_back(std::uint32_t(repaired->size()));
        repaired->append("\ufffd");
      }
    }
    at += step.width;
  }
  return repaired;
}

}  // namespace webformer
