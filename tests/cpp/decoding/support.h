#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"

namespace webformer {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// "invalid_argument: message", or "no error".
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.message();
  }
  return "no error";
}

/// The ids that are still possible.
inline std::vector<int> possible(std::span<const float> scores) {
  std::vector<int> ids;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > minus_infinity) ids.push_back(int(i));
  }
  return ids;
}

}  // namespace webformer
