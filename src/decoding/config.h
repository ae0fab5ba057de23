#pragma once
// What generate() may be told. Names, meaning, defaults and order are those of transformers' GenerationConfig (version 5).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace webformer {

/// When beam search stops, once num_beams hypotheses are complete.
enum class EarlyStopping {
  no,     ///< when the best live beam, at its present length, scores below the worst of them
  yes,    ///< at once
  never,  ///< when no continuation of any length can score above the worst of them
};

/// Token ids that are absent are std::nullopt, or an empty list.
struct GenerationConfig {
  // Length, in tokens.
  std::optional<std::int64_t> max_new_tokens;  ///< the most to make; 0 makes nothing. Wins over max_length
  std::optional<std::int64_t> max_length;      ///< the most in all, prompt (or decoder start token) included. Without either, 20 are made
  std::optional<std::int64_t> min_new_tokens;  ///< no end-of-sequence token before that many. Wins over min_length
  std::int64_t min_length = 0;                 ///< the same, prompt included
  std::vector<std::string> stop_strings;       ///< generation ends with the token that completes one; the token stays in the text

  // How the next token is chosen.
  bool do_sample = false;            ///< draw it; otherwise take the likeliest, of equals the one with the lowest id
  double temperature = 1;            ///< divides the logits; at least 0, and 0 is greedy by definition
  std::int64_t top_k = 50;           ///< only the k likeliest and what equals the k-th (Fan et al. 2018); 0: all
  double top_p = 1;                  ///< only the likeliest that hold this much probability (Holtzman et al. 2020); 0 to 1, 0 keeps one
  std::optional<double> min_p;       ///< only those with at least this part of the best one's probability (Nguyen et al. 2024); 0 to 1
  double typical_p = 1;              ///< only the most typical that hold this much probability (Meister et al. 2023); above 0, up to 1
  std::optional<std::int64_t> seed;  ///< 0 to 2^53 - 1; the same seed draws the same text
  double repetition_penalty = 1;     ///< divides positive and multiplies negative logits of ids that occurred (Keskar et al. 2019); above 0
  std::int64_t no_repeat_ngram_size = 0;                 ///< no n-gram occurs twice; 0: off
  std::vector<std::vector<std::int32_t>> bad_words_ids;  ///< sequences that must not occur
  std::vector<std::int32_t> suppress_tokens;             ///< ids that must not occur
  std::vector<std::int32_t> begin_suppress_tokens;       ///< ids that must not come first
  bool renormalize_logits = false;   ///< makes log-probabilities of the logits after all of the above

  // Beam search.
  std::int64_t num_beams = 1;
  double length_penalty = 1;         ///< a hypothesis scores sum of log-probabilities / (tokens made)^length_penalty
  EarlyStopping early_stopping = EarlyStopping::no;
  std::int64_t num_return_sequences = 1;  ///< at most num_beams; without beams, more than one only with do_sample

  // Special tokens.
  std::optional<std::int32_t> bos_token_id;            ///< stands in for an empty prompt
  std::vector<std::int32_t> eos_token_id;              ///< any of them ends a sequence
  std::optional<std::int32_t> pad_token_id;            ///< without effect: sequences are not padded
  std::optional<std::int32_t> decoder_start_token_id;  ///< without it, bos_token_id
  std::optional<std::int32_t> forced_bos_token_id;     ///< the token after a prompt (or start) of one token
  std::vector<std::int32_t> forced_eos_token_id;       ///< the last token where max_length is reached

  // What else is returned.
  bool attentions = false;
  bool return_scores = false;
  bool return_beams = false;
  std::int64_t top_candidates = 0;  ///< how many of the likeliest tokens come with each item

  std::vector<std::string> unsupported;  ///< settings of the checkpoint that change results and are not built, as `name: value`

  bool samples() const noexcept { return do_sample && temperature != 0; }
};

/// What a generation is about to do, for check().
struct GenerationSize {
  std::int64_t prompts = 1;
  std::int64_t vocab_size = 0;  ///< V
  bool has_tokenizer = false;
};

/// Throws invalid_argument for the first setting that is out of its bounds, and for those that are not supported.
void check(const GenerationConfig& config, const GenerationSize& size);

}  // namespace webformer
