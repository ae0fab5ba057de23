#pragma once
// From scores to a token, or to the continuations of beams. Of equals, always the one with the lowest id.

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"

namespace webformer {

/// The generator of one sequence. With a seed it depends on the number of the sequence among those of its prompt alone, so that a prompt
/// gets the same text whichever prompts stand beside it.
Random random_of(std::uint64_t seed, std::uint64_t sequence) noexcept;

/// The id with the highest score. scores: [V]. Throws numeric_error where none is possible, or one is not a number.
std::int32_t best_token(std::span<const float> scores);
/// An id drawn from softmax(scores), by inverse CDF: the number of cumulative probabilities, in the order of ids, that are at most
/// `uniform`, which is in [0, 1). Throws as best_token.
std::int32_t draw_token(std::span<const float> scores, double uniform);
/// log softmax(scores)[id].
double log_probability(std::span<const float> scores, std::int32_t id);

struct TokenProbability {
  std::int32_t id;
  double probability;
};
/// The `count` likeliest ids of softmax(scores), the best first; fewer where fewer are possible.
std::vector<TokenProbability> likeliest(std::span<const float> scores, std::int64_t count);

/// A beam with one more token. `score` is the sum of its log-probabilities.
struct Continuation {
  int beam;
  std::int32_t id;
  double score;
};

/// What one beam may become: log-probabilities of its next token, [V], on top of the score that it has.
struct BeamScores {
  double score;
  std::span<const float> log_probabilities;
};
/// The `count` best continuations of all beams, the best first; fewer where fewer are possible. Throws as best_token.
std::vector<Continuation> best_continuations(std::span<const BeamScores> beams, std::size_t count);
/// The same, drawn without replacement from the softmax over the scores of all continuations.
std::vector<Continuation> draw_continuations(std::span<const BeamScores> beams, std::size_t count, Random& random);

}  // namespace webformer
