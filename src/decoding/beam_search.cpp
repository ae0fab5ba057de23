#include "decoding/beam_search.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace webformer {

double hypothesis_score(double log_probability, std::int64_t tokens, double length_penalty) noexcept {
  if (log_probability == 0) return 0;  // the power may vanish, and 0 / 0 is not a number
  return log_probability / std::pow(double(tokens), length_penalty);
}

BeamSearch::BeamSearch(const GenerationConfig& config, std::vector<std::int32_t> prompt, std::int64_t max_length)
    : num_beams_(config.num_beams),
      eos_tokens_(config.eos_token_id.size()),
      length_penalty_(config.length_penalty),
      early_stopping_(config.early_stopping),
      prompt_length_(std::int64_t(prompt.size())),
      max_length_(max_length) {
  live_.push_back({std::move(prompt), 0, 0});
}

double BeamSearch::penalized(double score, std::int64_t length) const noexcept {
  return hypothesis_score(score, length - prompt_length_, length_penalty_);
}

const std::vector<std::int32_t>& BeamSearch::leader() const noexcept {
  const Beam& beam = live_.front();
  const bool ended = !finished_.empty() && finished_.front().score >= penalized(beam.score, std::int64_t(beam.ids.size()));
  return ended ? finished_.front().ids : beam.ids;
}

bool BeamSearch::can_improve() const {
  if (live_.empty()) return false;
  if (!full()) return true;
  if (early_stopping_ == EarlyStopping::yes) return false;
  // With a penalty for short ones, a beam scores best at its greatest length; "no" judges it by its present one all the same.
  const bool longest = early_stopping_ == EarlyStopping::never && length_penalty_ > 0;
  const std::int64_t length = longest ? max_length_ : std::int64_t(live_.front().ids.size());
  return penalized(live_.front().score, length) > finished_.back().score;
}

std::vector<std::size_t> BeamSearch::advance(std::span<const Continuation> best, std::span<const std::optional<FinishReason>> ends) {
  std::vector<Beam> next;
  std::vector<std::size_t> completed;
  for (std::size_t i = 0; i < best.size(); ++i) {
    const bool goes_on = !ends[i] && std::int64_t(next.size()) < num_beams_;
    // What ranks below num_beams is there to replace beams that end; it completes nothing.
    const bool completes = ends[i] && std::int64_t(i) < num_beams_;
    if (!goes_on && !completes) continue;
    std::vector<std::int32_t> ids = live_[std::size_t(best[i].beam)].ids;
    ids.push_back(best[i].id);
    if (goes_on) {
      next.push_back({std::move(ids), best[i].score, i});
    } else {
      const double score = penalized(best[i].score, std::int64_t(ids.size()));
      finished_.push_back({std::move(ids), score, *ends[i]});
      completed.push_back(i);
    }
  }
  live_ = std::move(next);
  std::ranges::stable_sort(finished_, std::greater(), &Hypothesis::score);
  if (finished_.size() > std::size_t(num_beams_)) finished_.resize(std::size_t(num_beams_));
  done_ = !can_improve();
  if (done_) live_.clear();
  return completed;
}

}  // namespace webformer
