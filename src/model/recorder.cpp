#include "model/recorder.h"

#include <algorithm>

namespace webformer {

bool matches(std::string_view pattern, std::string_view name) noexcept {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    for (std::size_t taken = 0;; ++taken) {
      if (matches(pattern.substr(1), name.substr(taken))) return true;
      if (taken == name.size() || name[taken] == '.') return false;
    }
  }
  if (pattern[0] == '{') {
    const std::size_t end = pattern.find('}');
    if (end == std::string_view::npos) return false;
    for (std::size_t at = 1; at <= end;) {
      const std::size_t next = std::min(pattern.find(',', at), end);
      const std::string_view choice = pattern.substr(at, next - at);
      if (name.starts_with(choice) && matches(pattern.substr(end + 1), name.substr(choice.size()))) return true;
      at = next + 1;
    }
    return false;
  }
  return !name.empty() && name[0] == pattern[0] && matches(pattern.substr(1), name.substr(1));
}

bool Recorder::wants(std::string_view name) const {
  return std::ranges::any_of(patterns_, [&](const std::string& pattern) { return matches(pattern, name); });
}

void Recorder::see(std::string_view name, int sequence, const Shape& shape, const float* data) {
  std::vector<Array>& arrays = seen_[std::string(name)];
  const auto index = std::size_t(std::max(sequence, 0));
  if (arrays.size() <= index) arrays.resize(index + 1);
  arrays[index] = Array(shape, std::vector<float>(data, data + shape.size()));
}

const std::vector<Array>& Recorder::seen(const std::string& name) const {
  const auto found = seen_.find(name);
  if (found == seen_.end()) throw Error(Code::internal_error, "{}: was not shown by the forward pass", name);
  return found->second;
}

}  // namespace webformer
