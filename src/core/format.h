#pragma once
// Text with {} in it. std::format is missing from the standard libraries of g++ 12 and clang 19 on Debian 12.

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace webformer {

inline std::string to_text(std::string_view value) { return std::string(value); }
inline std::string to_text(const char* value) { return value; }
inline std::string to_text(bool value) { return value ? "true" : "false"; }
// The shortest decimals that read back as the same number.
std::string to_text(double value);
std::string to_text(float value);

template <std::integral T>
std::string to_text(T value) {
  return std::to_string(value);
}

/// `pattern` with each {} replaced by the next part; a {} without a part stays.
std::string fill_in(std::string_view pattern, std::initializer_list<std::string> parts);

/// format("{}: shape {} found", name, shape). A type takes part by a free function `std::string to_text(const T&)`.
template <class... Parts>
std::string format(std::string_view pattern, const Parts&... parts) {
  return fill_in(pattern, {to_text(parts)...});
}

/// "a, b, c"
template <class Texts>
std::string join(const Texts& texts, std::string_view between = ", ") {
  std::string joined;
  for (const auto& text : texts) joined.append(joined.empty() ? "" : between).append(text);
  return joined;
}

}  // namespace webformer
