#include "decoding/stop.h"

#include <algorithm>

namespace webformer {

StopMatcher::StopMatcher(std::vector<std::string> strings)
    : strings_(std::make_shared<const std::vector<std::string>>(std::move(strings))) {
  for (const std::string& text : *strings_) longest_ = std::max(longest_, text.size());
}

bool StopMatcher::push(std::string_view piece) {
  if (piece.empty() || longest_ == 0) return false;
  const std::size_t before = tail_.size();
  tail_ += piece;
  const bool found = std::ranges::any_of(*strings_, [&](const std::string& text) {
    // From there on, a match ends in the new piece.
    const std::size_t from = before + 1 > text.size() ? before + 1 - text.size() : 0;
    return tail_.find(text, from) != std::string::npos;
  });
  if (tail_.size() >= longest_) tail_.erase(0, tail_.size() - (longest_ - 1));
  return found;
}

}  // namespace webformer
