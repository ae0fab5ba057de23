#pragma once
// Vocabularies of whole words, or of characters where the words are these.

#include <string>
#include <vector>

#include "text/training/trainers.h"
#include "text/training/word_counts.h"

namespace webformer {

/// The special tokens, then the words by falling count, those of one count by their bytes; vocab_size tokens at most.
std::vector<std::string> learn_words(const WordCounts& words, const TrainerOptions& options);

}  // namespace webformer
