#include "decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace webformer {

namespace {

constexpr float forbidden = -std::numeric_limits<float>::infinity();

[[noreturn]] void nothing_to_choose() {
  throw Error(Code::numeric_error, "the next token: the settings forbid every token of the vocabulary, at least one must be possible");
}

void need_number(float score, std::size_t id) {
  if (score < std::numeric_limits<float>::infinity()) return;
  throw Error(Code::numeric_error, "the score of token {}: {} found, a finite number expected", id, std::isnan(score) ? "NaN" : "Infinity");
}

/// exp(score - best), the weights of the softmax.
std::vector<double> weights(std::span<const float> scores, float best) {
  std::vector<double> result(scores.size());
  std::ranges::transform(scores, result.begin(), [&](float score) { return std::exp(double(score) - best); });
  return result;
}

/// The index that a target in [0, sum of weights) falls on.
std::size_t index_of(std::span<const double> weights, double target) {
  double sum = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    sum += weights[i];
    last = i;
    if (sum > target) break;
  }
  return last;
}

bool better(const Continuation& a, const Continuation& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.beam != b.beam ? a.beam < b.beam : a.id < b.id;
}

/// Calls visit(continuation) for all that have a chance.
template <class Visit>
void for_each_possible(std::span<const BeamScores> beams, Visit visit) {
  bool any = false;
  for (std::size_t beam = 0; beam < beams.size(); ++beam) {
    for (std::size_t id = 0; id < beams[beam].log_probabilities.size(); ++id) {
      const float log_probability = beams[beam].log_probabilities[id];
      need_number(log_probability, id);
      if (log_probability == forbidden) continue;
      any = true;
      visit(Continuation{int(beam), std::int32_t(id), beams[beam].score + log_probability});
    }
  }
  if (!any) nothing_to_choose();
}

}  // namespace

Random random_of(std::uint64_t seed, std::uint64_t sequence) noexcept { return Random(seed + sequence * 0xd1342543de82ef95u); }

std::int32_t best_token(std::span<const float> scores) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    need_number(scores[i], i);
    if (scores[i] > scores[best]) best = i;
  }
  if (scores.empty() || scores[best] == forbidden) nothing_to_choose();
  return std::int32_t(best);
}

std::int32_t draw_token(std::span<const float> scores, double uniform) {
  const std::vector<double> w = weights(scores, scores[std::size_t(best_token(scores))]);
  double sum = 0;
  for (const double weight : w) sum += weight;
  return std::int32_t(index_of(w, uniform * sum));
}

double log_probability(std::span<const float> scores, std::int32_t id) {
  const float best = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float score : scores) sum += std::exp(double(score) - best);
  return double(scores[std::size_t(id)]) - best - std::log(sum);
}

std::vector<TokenProbability> likeliest(std::span<const float> scores, std::int64_t count) {
  const std::vector<double> w = weights(scores, *std::ranges::max_element(scores));
  double sum = 0;
  std::vector<TokenProbability> all;
  for (std::size_t i = 0; i < w.size(); ++i) {
    sum += w[i];
    if (w[i] > 0) all.push_back({std::int32_t(i), w[i]});
  }
  const auto kept = std::ptrdiff_t(std::min(count, std::int64_t(all.size())));
  std::ranges::partial_sort(all, all.begin() + kept, [](const TokenProbability& a, const TokenProbability& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.id < b.id;
  });
  all.resize(std::size_t(kept));
  for (TokenProbability& token : all) token.probability /= sum;
  return all;
}

std::vector<Continuation> best_continuations(std::span<const BeamScores> beams, std::size_t count) {
  std::vector<Continuation> heap;  // its front is the worst of the best
  for_each_possible(beams, [&](const Continuation& one) {
    if (heap.size() == count) {
      if (!better(one, heap.front())) return;
      std::ranges::pop_heap(heap, better);
      heap.pop_back();
    }
    heap.push_back(one);
    std::ranges::push_heap(heap, better);
  });
  std::ranges::sort_heap(heap, better);
  return heap;
}

std::vector<Continuation> draw_continuations(std::span<const BeamScores> beams, std::size_t count, Random& random) {
  std::vector<Continuation> all;
  for_each_possible(beams, [&](const Continuation& one) { all.push_back(one); });
  const double best = std::ranges::min_element(all, better)->score;
  std::vector<double> left(all.size());  // weights of what was not drawn yet
  std::ranges::transform(all, left.begin(), [&](const Continuation& one) { return std::exp(one.score - best); });

  std::vector<std::size_t> drawn;
  while (drawn.size() < std::min(count, all.size())) {
    double sum = 0;
    for (const double weight : left) sum += weight;
    if (sum == 0) break;
    drawn.push_back(index_of(left, random.uniform() * sum));
    left[drawn.back()] = 0;
  }
  std::vector<Continuation> result;
  for (const std::size_t i : drawn) {
    result.push_back(all[i]);
    all[i].score = -std::numeric_limits<double>::infinity();
  }
  // Where the rest has no probability in double precision, the best of it follows, as if drawn.
  const std::size_t rest = std::min(count, all.size()) - drawn.size();
  std::ranges::partial_sort(all, all.begin() + std::ptrdiff_t(rest), better);
  result.insert(result.end(), all.begin(), all.begin() + std::ptrdiff_t(rest));
  std::ranges::sort(result, better);
  return result;
}

}  // namespace webformer
