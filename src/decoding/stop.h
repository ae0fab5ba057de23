#pragma once
// Stop strings: found in the text as it grows, token by token.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace webformer {

/// Follows one text. A stop string counts where the newest piece completes it: its end lies in that piece, its beginning anywhere before
/// (transformers' StopStringCriteria).
class StopMatcher {
 public:
  /// strings: none of them empty.
  explicit StopMatcher(std::vector<std::string> strings);

  /// Adds a piece of text; true if a stop string ends in it.
  bool push(std::string_view piece);

 private:
  std::shared_ptr<const std::vector<std::string>> strings_;  // shared by the copies that beams make
  std::size_t longest_ = 0;
  std::string tail_;  // the last longest_ - 1 bytes
};

}  // namespace webformer
