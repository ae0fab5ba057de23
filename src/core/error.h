#pragma once
// The one error type. It is thrown anywhere in src/ and caught in the bindings alone.

#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/format.h"

namespace webformer {

/// Stable across releases; web/errors.ts mirrors it and a test compares the two.
enum class Code {
  invalid_argument,
  invalid_file,
  unsupported_model,
  weight_missing,
  weight_mismatch,
  vocab_mismatch,
  context_full,
  numeric_error,
  out_of_memory,
  aborted,
  disposed,
  busy,
  network_error,
  integrity_error,
  worker_crashed,
  gpu_lost,
  unsupported_platform,
  internal_error,  ///< A bug in this library, never the caller's fault: fuzzers fail on it.
};

inline constexpr std::array<std::string_view, 18> code_names{
    "invalid_argument", "invalid_file",  "unsupported_model", "weight_missing",  "weight_mismatch", "vocab_mismatch",
    "context_full",     "numeric_error", "out_of_memory",     "aborted",         "disposed",        "busy",
    "network_error",    "integrity_error", "worker_crashed",  "gpu_lost",        "unsupported_platform", "internal_error"};

inline std::string_view name(Code code) { return code_names[static_cast<std::size_t>(code)]; }

/// The message names the item, the value found and the bound. `details` hold the same for programs.
class Error : public std::exception {
 public:
  template <class... Parts>
  Error(Code code, std::string_view pattern, const Parts&... parts) : code_(code), message_(format(pattern, parts...)) {}

  /// throw Error(...).with("tensor", name).with("found", shape)
  template <class Value>
  Error& with(std::string key, const Value& value) {
    details_.emplace_back(std::move(key), to_text(value));
    return *this;
  }

  Code code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const std::vector<std::pair<std::string, std::string>>& details() const noexcept { return details_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Code code_;
  std::string message_;
  std::vector<std::pair<std::string, std::string>> details_;
};

}  // namespace webformer
