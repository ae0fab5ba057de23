#pragma once
// A trie in one array of 32-bit units, in the format of darts-clone (https://github.com/s-yata/darts-clone), which SentencePiece's
// charsmaps are in as well. Reading is safe whatever the units are.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace webformer {

class DoubleArray {
 public:
  /// A walk from the root, a byte at a time. The trie must outlive it.
  class Cursor {
   public:
    explicit Cursor(const DoubleArray& trie) noexcept : units_(trie.units_), node_(units_.empty() ? 0 : offset(units_[0])) {}
    /// False where no key goes on with this byte; the walk is then over.
    bool advance(char byte) noexcept {
      const std::uint32_t label = static_cast<unsigned char>(byte), at = node_ ^ label;
      if (label == 0 || at >= units_.size() || (units_[at] & label_mask) != label) return false;
      node_ = at ^ offset(units_[at]);
      is_key_ = (units_[at] & has_leaf) != 0 && node_ < units_.size();
      return true;
    }
    /// Whether the bytes so far are a key.
    bool is_key() const noexcept { return is_key_; }
    std::uint32_t value() const noexcept { return units_[node_] & value_mask; }

   private:
    std::span<const std::uint32_t> units_;
    std::uint32_t node_;
    bool is_key_ = false;
  };

  DoubleArray() = default;
  explicit DoubleArray(std::vector<std::uint32_t> units) : units_(std::move(units)) {}
  /// `keys`: sorted as bytes, each once, not empty, without NUL. Values are below 2^31.
  static DoubleArray build(std::span<const std::pair<std::string_view, std::uint32_t>> keys);

  bool empty() const noexcept { return units_.empty(); }
  Cursor begin() const noexcept { return Cursor(*this); }
  std::vector<std::uint32_t>& units() noexcept { return units_; }

 private:
  friend class DoubleArrayBuilder;
  static constexpr std::uint32_t has_leaf = 1u << 8, value_mask = (1u << 31) - 1, is_value = 1u << 31, label_mask = is_value | 0xffu;
  static constexpr std::uint32_t offset(std::uint32_t unit) noexcept { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }

  std::vector<std::uint32_t> units_;
};

}  // namespace webformer
