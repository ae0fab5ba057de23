#pragma once
// Byte-pair encoding, learnt: the most frequent pair of neighbours becomes one symbol, again and again.
// https://arxiv.org/abs/1508.07909; tokenizers/src/models/bpe/trainer.rs

#include <string>
#include <vector>

#include "core/task.h"
#include "text/training/trainers.h"
#include "text/training/word_counts.h"

namespace webformer {

struct LearntBpe {
  std::vector<std::string> tokens;  ///< the index is the id
  StringPool merges;                ///< as BpeSpec::merges
};

/// Ids: the special tokens; the alphabet by code point; characters with the prefix or the suffix, in the order in which words show them;
/// what the merges make. The largest count is merged next, and the smaller pair of ids among equals. A token that is there already keeps
/// its id.
/// Time is linear in the letters of the words, and in the occurrences of each merge: counts are kept up to date, not counted again.
Task<LearntBpe> learn_bpe(const WordCounts& words, const TrainerOptions& options, TrainingProgress& progress, Schedule& schedule);

}  // namespace webformer
