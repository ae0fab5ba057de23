#pragma once
// Byte-pair encoding as SentencePiece learns it. https://github.com/google/sentencepiece, src/bpe_model_trainer.cc

#include <string>
#include <vector>

#include "core/task.h"
#include "text/training/piece_rules.h"
#include "text/training/trainers.h"
#include "text/training/word_counts.h"

namespace webformer {

struct LearntPieces {
  std::vector<std::string> merged;      ///< in the order of the merges
  std::vector<std::string> characters;  ///< by falling count, those of one count by code point
};

/// The pair of the largest count is merged next; among equals the one of fewer characters, then the smaller text. A pair whose text a merge
/// has made before is left alone. `size` pieces, fewer where no pair is left.
Task<LearntPieces> learn_sentencepiece_bpe(const WordCounts& words, const PieceRules& rules, std::size_t size, TrainingProgress& progress,
                                           Schedule& schedule);

}  // namespace webformer
