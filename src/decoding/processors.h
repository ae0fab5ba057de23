#pragma once
// What changes the model's logits before a token is chosen: each as transformers' LogitsProcessor of that meaning.
// scores: [V], logits or log-probabilities; a token that must not come gets -infinity. Ids outside the vocabulary are passed over.

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/config.h"

namespace webformer {

/// Where a sequence stands.
struct Progress {
  std::span<const std::int32_t> ids;  ///< so far, prompt (or decoder start token) included
  std::int64_t prompt_length;
  std::int64_t max_length;            ///< at which it ends
};

/// All processors that `config` asks for, in transformers' order: repetition penalty, n-grams, bad words, lengths, forced and suppressed
/// tokens; with do_sample temperature, top-k, top-p, min-p, typical-p; then renormalization.
void process_logits(const GenerationConfig& config, const Progress& progress, std::span<float> scores);

/// s_i <- s_i * penalty below zero, else s_i / penalty; once for each id that occurs (Keskar et al. 2019, "CTRL").
void penalize_repetition(std::span<float> scores, std::span<const std::int32_t> ids, double penalty);
/// Forbids what would complete an n-gram that occurred.
void forbid_repeated_ngrams(std::span<float> scores, std::span<const std::int32_t> ids, std::int64_t n);
/// Forbids the last id of a word whose other ids were just made. An end-of-sequence token alone is not a word.
void forbid_words(std::span<float> scores, std::span<const std::int32_t> ids, const std::vector<std::vector<std::int32_t>>& words,
                  std::span<const std::int32_t> eos_token_id);
void forbid(std::span<float> scores, std::span<const std::int32_t> ids);
/// Leaves only these, at 0.
void force(std::span<float> scores, std::span<const std::int32_t> ids);

/// s_i / temperature.
void apply_temperature(std::span<float> scores, double temperature);
// The rest forbids all but the likeliest. At least `least` stay; of equals, those with the lowest ids are the likelier.
/// Everything from the k-th largest score on up, what equals it included.
void keep_top_k(std::span<float> scores, std::int64_t k, std::size_t least = 1);
/// Drops the least likely as long as the probability of all dropped is at most 1 - p.
void keep_top_p(std::span<float> scores, double p, std::size_t least = 1);
/// Drops what has less than min_p times the largest probability.
void keep_min_p(std::span<float> scores, double min_p, std::size_t least = 1);
/// In the order of |-log p_i - H|, H the entropy: keeps up to and including the one that brings the sum of p_i to `mass`.
void keep_typical(std::span<float> scores, double mass, std::size_t least = 1);

}  // namespace webformer
