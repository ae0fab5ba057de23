#pragma once
// A table of one byte for every code point.

#include <array>
#include <cstdint>
#include <vector>

#include "core/unicode.h"

namespace webformer {

/// In pages of 256; pages of one value are shared.
class CodePointMap {
 public:
  std::uint8_t operator[](char32_t c) const noexcept { return c > max_code_point ? 0 : bytes_[page_of_[c >> 8] * 256u + (c & 255)]; }

  /// Takes the values in ascending order of the code points; what is left out at the end is 0.
  class Builder {
   public:
    void append(std::uint32_t length, std::uint8_t value);
    CodePointMap finish();

   private:
    void end_page();

    std::array<std::uint8_t, 256> page_{};
    std::uint32_t next_ = 0;
    std::array<std::uint16_t, 256> uniform_{};  // the page that has this value only, plus 1
    std::vector<std::uint16_t> page_of_;
    std::vector<std::uint8_t> bytes_;
  };

 private:
  std::vector<std::uint16_t> page_of_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace webformer
