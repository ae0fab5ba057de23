#pragma once
// What models make of words.

#include <cstdint>
#include <vector>

namespace webformer {

/// A token of the text that a model was given. Bytes [begin, end); both are the same for a token that stands for no text of its own.
struct ModelToken {
  std::int32_t id;
  std::uint32_t begin, end;
  bool shows_text = false;  ///< an unknown token that is shown as the text that it stands for
};

using ModelTokens = std::vector<ModelToken>;

}  // namespace webformer
