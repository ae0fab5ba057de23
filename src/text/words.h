#pragma once
// A normalized text and the words it is cut into.

#include <cstdint>
#include <string_view>
#include <vector>

#include "text/aligned_text.h"

namespace webformer {

/// Bytes [begin, end) of Words::text. An added token stays whole.
struct Word {
  std::uint32_t begin, end;
  std::int32_t added_id = -1;
};

struct Words {
  AlignedText text;
  std::vector<Word> list;

  std::string_view of(const Word& word) const noexcept { return std::string_view(text.text).substr(word.begin, word.end - word.begin); }
};

}  // namespace webformer
