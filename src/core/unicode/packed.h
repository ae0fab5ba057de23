#pragma once
// The reader of the packed tables (tables.h).

#include <cstddef>
#include <cstdint>

namespace webformer::unicode_tables {

class PackedReader {
 public:
  PackedReader(const std::uint8_t* from, std::size_t size) : at_(from), end_(from + size) {}
  bool more() const noexcept { return at_ < end_; }
  std::uint8_t byte() noexcept { return *at_++; }
  std::uint32_t number() noexcept {
    std::uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t part = byte();
      value |= std::uint32_t(part & 127u) << shift;
      if (part < 128) return value;
    }
  }
  std::int32_t difference() noexcept {
    const std::uint32_t value = number();
    return std::int32_t(value >> 1) ^ -std::int32_t(value & 1);
  }

 private:
  const std::uint8_t *at_, *end_;
};

}  // namespace webformer::unicode_tables
