#pragma once
// What a generation gives: items while it works, and the result.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace webformer {

enum class FinishReason {
  eos,     ///< an end-of-sequence token
  length,  ///< max_new_tokens, max_length, or the end of the context
  stop,    ///< a stop string
};

/// A token that might have come, with its probability after all processors, and the vocabulary's entry for it.
struct TokenCandidate {
  std::int32_t id;
  std::string token;
  double probability;
};

/// News of one sequence. With beams: what all beams and hypotheses that may still win agree on.
struct GenerationItem {
  std::int64_t index = 0;         ///< of the sequence: prompt * num_return_sequences + number
  std::string text;               ///< whole characters; joined, the items' texts are the text
  std::vector<std::int32_t> ids;  ///< joined, what was made after the prompt
  std::optional<std::string> draft;        ///< with beams: the rest of the one that leads
  std::vector<TokenCandidate> candidates;  ///< with top_candidates: the likeliest at this step, with beams of the best one
  bool last = false;                       ///< nothing more comes of this sequence
};

/// A continuation that beam search went on with or completed. Without beams, every token is one.
struct BeamStep {
  std::int64_t step;    ///< from 0
  std::int64_t parent;  ///< its place in the list of all steps, -1: the prompt (whose sequences come in the order of the prompts)
  std::int32_t id;
  double score;         ///< sum of log-probabilities
};

struct GenerationUsage {
  std::int64_t prompt_tokens = 0;
  std::int64_t new_tokens = 0;  ///< of the sequences returned
  double prefill_ms = 0;        ///< until the first tokens were chosen: encoder and prompts
  double decode_ms = 0;         ///< from then on, without the pauses in which items are taken
};

/// One entry a sequence in each list: num_return_sequences of each prompt, the best first.
struct GenerationResult {
  std::vector<std::string> texts;                    ///< what was made, without special tokens; empty without a tokenizer
  std::vector<std::vector<std::int32_t>> sequences;  ///< prompt (or decoder start token) and what was made, up to its first eos
  std::vector<FinishReason> finish_reasons;
  std::vector<double> scores;                        ///< with return_scores: log-probability / (tokens made)^length_penalty
  std::vector<std::vector<Array>> cross_attentions;  ///< with attentions: one a layer, [H, tokens made, S]; encoder-decoder only
  std::vector<BeamStep> beams;                       ///< with return_beams
  GenerationUsage usage;
};

}  // namespace webformer
