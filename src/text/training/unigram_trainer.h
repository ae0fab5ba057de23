#pragma once
// The unigram language model of pieces, learnt: many seeds, whose probabilities are fitted by expectation and maximization, and of which
// those are dropped that the likelihood of the words needs least. https://arxiv.org/abs/1804.10959;
// tokenizers/src/models/unigram/trainer.rs, sentencepiece/src/unigram_model_trainer.cc

#include <string>
#include <vector>

#include "core/task.h"
#include "text/training/piece_rules.h"
#include "text/training/trainers.h"
#include "text/training/word_counts.h"

namespace webformer {

struct LearntPiece {
  std::string text;
  double score;  ///< log-probability
};

/// By falling score, `size` pieces at most, but all characters in any case. Fewer where the words do not need as many.
Task<std::vector<LearntPiece>> learn_unigram(const WordCounts& words, const PieceRules& rules, std::size_t size,
                                             TrainingProgress& progress, Schedule& schedule);

}  // namespace webformer
