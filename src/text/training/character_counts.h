#pragma once
// The alphabet of words.

#include <cstdint>
#include <vector>

#include "core/task.h"
#include "text/training/word_counts.h"

namespace webformer {

struct CharacterCount {
  char32_t character;
  std::uint64_t count;
};

/// All characters by falling count, those of one count by code point.
Task<std::vector<CharacterCount>> count_characters(const WordCounts& words, Schedule& schedule);

}  // namespace webformer
