#pragma once
// What gzip packed, for the fixtures that are kept so.

#include <string>
#include <string_view>

namespace webformer::golden {

/// Throws std::runtime_error where the bytes are no gzip file. Its checksum is not looked at.
std::string unpack_gzip(std::string_view bytes);

}  // namespace webformer::golden
