#pragma once

#include <string>
#include <string_view>

#include "core/utf8.h"

namespace webformer {

/// The beginning of a foreign file's text, for an error message.
inline std::string excerpt(std::string_view text, std::size_t most = 60) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && is_utf8_continuation(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace webformer
