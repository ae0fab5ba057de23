#pragma once
// The options of a tokenizer's methods, as JavaScript writes them; it has refused unknown names.

#include "formats/json.h"
#include "text/text.h"

namespace webformer {

/// {truncation, padding} of EncodeOptions. Throws invalid_argument for sizes out of their bounds.
EncodeOptions read_encode_options(const Json& json);
AddedToken read_added_token(const Json& json);

}  // namespace webformer
