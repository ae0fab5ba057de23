#pragma once
// What a file of weights says about itself beside the tensors: strings in safetensors, typed values in GGUF.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace webformer {

/// Whole numbers beyond 2^63 - 1 are kept as floating-point numbers.
using MetadataValue = std::variant<bool, std::int64_t, double, std::string,  //
                                   std::vector<bool>, std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

class Metadata {
 public:
  using Entry = std::pair<std::string, MetadataValue>;

  Metadata() = default;
  /// Throws invalid_file where a key occurs twice. `file` is for the message.
  Metadata(std::vector<Entry> entries, std::string_view file);
  Metadata(Metadata&&) = default;  // not copied: it may hold a vocabulary, and a copy of a variant that fails is fatal in g++ 12's library
  Metadata& operator=(Metadata&&) = default;

  std::span<const Entry> entries() const noexcept { return entries_; }  ///< in file order

  /// Null where there is no such key.
  const MetadataValue* find(std::string_view key) const noexcept;
  /// Null where there is no such key or its value is of another type.
  template <class Value>
  const Value* find(std::string_view key) const noexcept {
    return std::get_if<Value>(find(key));
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> by_key_;  // indices of entries, sorted by key
};

}  // namespace webformer
