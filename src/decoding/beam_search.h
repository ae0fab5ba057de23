#pragma once
// The bookkeeping of beam search over one prompt, apart from any model: which beams go on, which hypotheses are complete, when it ends.
// The rules are those of transformers 5 (GenerationMixin._beam_search).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decoding/config.h"
#include "decoding/result.h"
#include "decoding/sampling.h"

namespace webformer {

/// log-probability / tokens^length_penalty (Wu et al. 2016, section 7, in the simpler form of transformers). tokens: those made.
double hypothesis_score(double log_probability, std::int64_t tokens, double length_penalty) noexcept;

/// A sequence that may go on.
struct Beam {
  std::vector<std::int32_t> ids;  ///< prompt included
  double score = 0;               ///< sum of log-probabilities of what was made
  std::size_t continuation = 0;   ///< which of the last step's continuations it is
};

/// A sequence that is complete.
struct Hypothesis {
  std::vector<std::int32_t> ids;
  double score = 0;  ///< hypothesis_score of it
  FinishReason reason = FinishReason::eos;
};

class BeamSearch {
 public:
  /// max_length: where every sequence ends, prompt included.
  BeamSearch(const GenerationConfig& config, std::vector<std::int32_t> prompt, std::int64_t max_length);

  /// How many continuations a step needs, so that num_beams remain though all others end: num_beams for each way to end, and once more.
  std::size_t continuations() const noexcept { return std::size_t(num_beams_) * (1 + std::max<std::size_t>(eos_tokens_, 1)); }

  /// The beams that wait for their next token, the best first; at the start one, the prompt.
  const std::vector<Beam>& live() const noexcept { return live_; }
  /// The best complete hypotheses, at most num_beams, the best first.
  const std::vector<Hypothesis>& finished() const noexcept { return finished_; }
  bool done() const noexcept { return done_; }
  /// What would win if it all ended now: the best hypothesis, or the best live beam where that scores higher. Not after done().
  const std::vector<std::int32_t>& leader() const noexcept;

  /// One step: the best continuations of live(), the best first, and for each why it ends there, if it does. Returns which of them
  /// became a new hypothesis of finished() (which a better one of the same step may have pushed out again).
  std::vector<std::size_t> advance(std::span<const Continuation> best, std::span<const std::optional<FinishReason>> ends);

 private:
  double penalized(double score, std::int64_t length) const noexcept;
  bool full() const noexcept { return finished_.size() == std::size_t(num_beams_); }
  bool can_improve() const;

  std::int64_t num_beams_;
  std::size_t eos_tokens_;
  double length_penalty_;
  EarlyStopping early_stopping_;
  std::int64_t prompt_length_;
  std::int64_t max_length_;
  std::vector<Beam> live_;
  std::vector<Hypothesis> finished_;
  bool done_ = false;
};

}  // namespace webformer
