#include "decoding/processors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kernels/elementwise.h"

namespace webformer {

namespace {

constexpr float forbidden = -std::numeric_limits<float>::infinity();

bool contains(std::span<const float> scores, std::int32_t id) { return id >= 0 && std::size_t(id) < scores.size(); }

struct Candidate {
  std::int32_t id;
  float score;
  double probability;
};

/// The tokens that are still possible with their probabilities, the likeliest first.
std::vector<Candidate> ranked(std::span<const float> scores) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > forbidden) all.push_back({std::int32_t(i), scores[i], 0});
  }
  std::ranges::stable_sort(all, std::greater(), &Candidate::score);
  double sum = 0;
  for (Candidate& c : all) sum += c.probability = std::exp(double(c.score) - all.front().score);
  for (Candidate& c : all) c.probability /= sum;
  return all;
}

}  // namespace

void penalize_repetition(std::span<float> scores, std::span<const std::int32_t> ids, double penalty) {
  std::vector<bool> seen(scores.size());
  for (const std::int32_t id : ids) {
    if (!contains(scores, id) || seen[std::size_t(id)]) continue;
    seen[std::size_t(id)] = true;
    float& score = scores[std::size_t(id)];
    score = score < 0 ? score * float(penalty) : score / float(penalty);
  }
}

void forbid_repeated_ngrams(std::span<float> scores, std::span<const std::int32_t> ids, std::int64_t n) {
  if (n > std::int64_t(ids.size())) return;
  const auto before = ids.last(std::size_t(n - 1));
  for (std::size_t i = 0; i + before.size() < ids.size(); ++i) {
    const std::int32_t next = ids[i + before.size()];
    if (std::ranges::equal(ids.subspan(i, before.size()), before) && contains(scores, next)) scores[std::size_t(next)] = forbidden;
  }
}

void forbid_words(std::span<float> scores, std::span<const std::int32_t> ids, const std::vector<std::vector<std::int32_t>>& words,
                  std::span<const std::int32_t> eos_token_id) {
  for (const auto& word : words) {
    const std::span before(word.data(), word.size() - 1);
    const std::int32_t last = word.back();
    if (before.empty() && std::ranges::find(eos_token_id, last) != eos_token_id.end()) continue;
    if (before.size() > ids.size() || !std::ranges::equal(ids.last(before.size()), before)) continue;
    if (contains(scores, last)) scores[std::size_t(last)] = forbidden;
  }
}

void forbid(std::span<float> scores, std::span<const std::int32_t> ids) {
  for (const std::int32_t id : ids) {
    if (contains(scores, id)) scores[std::size_t(id)] = forbidden;
  }
}

void force(std::span<float> scores, std::span<const std::int32_t> ids) {
  std::ranges::fill(scores, forbidden);
  for (const std::int32_t id : ids) {
    if (contains(scores, id)) scores[std::size_t(id)] = 0;
  }
}

void apply_temperature(std::span<float> scores, double temperature) {
  // Below that, quotients could leave float's range; all but the best have long lost all probability there.
  const float divisor = float(std::max(temperature, 1e-30));
  for (float& score : scores) score /= divisor;
}

void keep_top_k(std::span<float> scores, std::int64_t k, std::size_t least) {
  if (k >= std::int64_t(scores.size()) || least >= scores.size()) return;
  const std::size_t kept = std::max(std::size_t(k), least);
  std::vector<float> sorted(scores.begin(), scores.end());
  std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(kept - 1), std::greater());
  for (float& score : scores) {
    if (score < sorted[kept - 1]) score = forbidden;
  }
}

void keep_top_p(std::span<float> scores, double p, std::size_t least) {
  const std::vector<Candidate> candidates = ranked(scores);
  double dropped = 0;
  for (std::size_t i = candidates.size(); i > least; --i) {
    dropped += candidates[i - 1].probability;
    if (dropped > 1 - p) break;
    scores[std::size_t(candidates[i - 1].id)] = forbidden;
  }
}

void keep_min_p(std::span<float> scores, double min_p, std::size_t least) {
  const std::vector<Candidate> candidates = ranked(scores);
  for (std::size_t i = least; i < candidates.size(); ++i) {
    if (candidates[i].probability < min_p * candidates.front().probability) scores[std::size_t(candidates[i].id)] = forbidden;
  }
}

void keep_typical(std::span<float> scores, double mass, std::size_t least) {
  std::vector<Candidate> candidates = ranked(scores);
  if (candidates.empty()) return;
  double log_sum = 0, entropy = 0;
  for (const Candidate& c : candidates) log_sum += std::exp(double(c.score) - candidates.front().score);
  log_sum = std::log(log_sum) + candidates.front().score;
  for (const Candidate& c : candidates) entropy -= c.probability * (c.score - log_sum);

  const auto strangeness = [&](const Candidate& c) { return std::abs(log_sum - c.score - entropy); };
  std::ranges::sort(candidates, std::less(), &Candidate::id);
  std::ranges::stable_sort(candidates, std::less(), strangeness);
  std::size_t last = 0;
  for (double sum = candidates[0].probability; sum < mass && last + 1 < candidates.size();) sum += candidates[++last].probability;
  const double limit = strangeness(candidates[last]);
  for (std::size_t i = least; i < candidates.size(); ++i) {
    if (strangeness(candidates[i]) > limit) scores[std::size_t(candidates[i].id)] = forbidden;
  }
}

void process_logits(const GenerationConfig& c, const Progress& at, std::span<float> scores) {
  const auto length = std::int64_t(at.ids.size());
  const std::int64_t min_length = c.min_new_tokens ? at.prompt_length + *c.min_new_tokens : c.min_length;
  const std::int64_t begin = at.prompt_length + (at.prompt_length <= 1 && c.forced_bos_token_id ? 1 : 0);

  if (c.repetition_penalty != 1) penalize_repetition(scores, at.ids, c.repetition_penalty);
  if (c.no_repeat_ngram_size > 0) forbid_repeated_ngrams(scores, at.ids, c.no_repeat_ngram_size);
  forbid_words(scores, at.ids, c.bad_words_ids, c.eos_token_id);
  if (length < min_length) forbid(scores, c.eos_token_id);
  if (c.forced_bos_token_id && length == 1) force(scores, std::span(&*c.forced_bos_token_id, 1));
  if (!c.forced_eos_token_id.empty() && length == at.max_length - 1) force(scores, c.forced_eos_token_id);
  forbid(scores, c.suppress_tokens);
  if (length == begin) forbid(scores, c.begin_suppress_tokens);
  if (c.samples()) {
    // Beams must find a continuation beside the end of the sequence.
    const std::size_t least = c.num_beams == 1 ? 1 : std::max<std::size_t>(c.eos_token_id.size(), 1) + 1;
    if (c.temperature != 1) apply_temperature(scores, c.temperature);
    if (c.top_k > 0) keep_top_k(scores, c.top_k, least);
    if (c.top_p < 1) keep_top_p(scores, c.top_p, least);
    if (c.min_p) keep_min_p(scores, *c.min_p, least);
    if (c.typical_p < 1) keep_typical(scores, c.typical_p, least);
  }
  if (c.renormalize_logits) log_softmax(Matrix(scores.data(), 1, std::int64_t(scores.size())));
}

}  // namespace webformer
