#pragma once
// Base64 (RFC 4648), as tokenizer.json keeps bytes.

#include <optional>
#include <string>
#include <string_view>

namespace webformer {

/// Nothing where `text` is not Base64. Padding may be missing.
std::optional<std::string> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace webformer
