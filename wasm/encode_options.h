#pragma once
// The options of a tokenizer's methods, as JavaScript writes them; it has refused unknown names.

#include <string_view>

#include "formats/json.h"
#include "text/text.h"

namespace webformer {

/// {truncation, padding} of EncodeOptions. Throws invalid_argument for sizes out of their bounds.
EncodeOptions read_encode_options(const Json& json);
AddedToken read_added_token(const Json& json);
/// A member that is a whole number, `otherwise` where there is none. Throws invalid_argument beyond 2^32 - 1.
std::size_t read_size(const Json& json, std::string_view name, std::size_t otherwise);

}  // namespace webformer
