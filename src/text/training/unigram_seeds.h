#pragma once
// The pieces that a unigram model begins with: all characters, and what occurs again and again within words.

#include <string>
#include <vector>

#include "core/task.h"
#include "text/training/piece_rules.h"
#include "text/training/word_counts.h"

namespace webformer {

struct SeedPiece {
  std::string text;
  double weight;  ///< a character's count; for longer pieces the count times the length in characters
};

struct Seeds {
  std::vector<SeedPiece> characters;  ///< by falling count
  std::vector<SeedPiece> pieces;      ///< by falling weight
};

/// Longer pieces are those that occur twice or more and do not always go on in the same way: the inner nodes of the words' suffix tree,
/// where the end of a word is no way to go on that two words share. Whole words are among them. `most` pieces.
Task<Seeds> find_seeds(const WordCounts& words, const PieceRules& rules, std::size_t most, Schedule& schedule);

}  // namespace webformer
