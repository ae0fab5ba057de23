#pragma once
// Many strings in two flat arrays.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace webformer {

class StringPool {
 public:
  StringPool() : ends_{0} {}

  std::size_t size() const noexcept { return ends_.size() - 1; }
  bool empty() const noexcept { return size() == 0; }
  std::string_view operator[](std::size_t index) const noexcept {
    return std::string_view(bytes_).substr(ends_[index], ends_[index + 1] - ends_[index]);
  }
  std::size_t byte_size() const noexcept { return bytes_.size(); }
  /// All texts together may have 2^32 - 1 bytes: the caller knows that they come from a file of less.
  void push_back(std::string_view text) {
    bytes_ += text;
    ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  }
  void reserve(std::size_t count, std::size_t bytes) {
    ends_.reserve(count + 1);
    bytes_.reserve(bytes);
  }

  /// For the archive; whoever fills them checks with is_consistent().
  std::string& bytes() noexcept { return bytes_; }
  std::vector<std::uint32_t>& ends() noexcept { return ends_; }
  bool is_consistent() const noexcept {
    if (ends_.empty() || ends_.front() != 0 || ends_.back() != bytes_.size()) return false;
    for (std::size_t i = 1; i < ends_.size(); ++i) {
      if (ends_[i] < ends_[i - 1]) return false;
    }
    return true;
  }

 private:
  std::string bytes_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace webformer
