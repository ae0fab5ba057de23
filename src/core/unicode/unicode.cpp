#include "core/unicode.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/unicode/tables.h"

namespace webformer {
namespace {

namespace tables = unicode_tables;

class Reader {
 public:
  Reader(const std::uint8_t* from, std::size_t size) : at_(from), end_(from + size) {}
  bool more() const noexcept { return at_ < end_; }
  std::uint32_t number() {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= std::uint32_t(byte & 127u) << shift;
      if (byte < 128) return value;
    }
  }
  std::int32_t difference() {
    const std::uint32_t value = number();
    return std::int32_t(value >> 1) ^ -std::int32_t(value & 1);
  }
  std::uint8_t byte() { return *at_++; }

 private:
  const std::uint8_t *at_, *end_;
};

/// One byte for every code point, in pages that are shared where they are equal.
class ByteMap {
 public:
  ByteMap() : pages_(256, 0) {}
  std::uint8_t operator[](char32_t c) const noexcept { return c > max_code_point ? 0 : pages_[page_of_[c >> 8] * 256u + (c & 255)]; }

  void fill(char32_t first, char32_t last, std::uint8_t value) {
    for (char32_t c = first; c <= last;) {
      const char32_t page_end = std::min(last, c | 255);
      if ((c & 255) == 0 && page_end == (c | 255)) {
        page_of_[c >> 8] = whole_page(value);
      } else {
        if (page_of_[c >> 8] < first_own_page()) page_of_[c >> 8] = own_page(page_of_[c >> 8]);
        std::fill_n(pages_.begin() + page_of_[c >> 8] * 256 + (c & 255), page_end - c + 1, value);
      }
      c = page_end + 1;
    }
  }

 private:
  std::uint16_t first_own_page() const { return std::uint16_t(0); }
  std::uint16_t whole_page(std::uint8_t value) {
    if (whole_[value] == 0 && value != 0) {
      whole_[value] = std::uint16_t(pages_.size() / 256);
      pages_.insert(pages_.end(), 256, value);
    }
    return whole_[value];
  }
  std::uint16_t own_page(std::uint16_t) { return 0; }

  std::array<std::uint16_t, (max_code_point >> 8) + 1> page_of_{};
  std::array<std::uint16_t, 256> whole_{};
  std::vector<std::uint8_t> pages_;
};

}  // namespace
}  // namespace webformer
