// Word2Vec's objective.

#include <algorithm>
#include <cmath>

#include "kernels/vectors.h"
#include "training/word_vectors.h"

namespace webformer {

namespace {

/// log(1 + e^x), without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace

double add_word_gradient(const WordTables& tables, const WordExample& example, float factor, WordTables& sums, std::span<float> h,
                         std::span<float> dh) {
  const auto width = std::int64_t(h.size());
  const auto row = [&](const Array& table, std::int32_t word) { return table.data.data() + word * width; };
  const float share = 1 / float(example.words.size());
  std::ranges::fill(h, 0.f);
  std::ranges::fill(dh, 0.f);
  for (const std::int32_t word : example.words) add_scaled(share, row(tables.input, word), h.data(), width);

  double loss = 0;
  const auto learn = [&](std::int32_t word, double slope) {  // the slope of the loss by h.u_word
    add_scaled(float(slope), row(tables.output, word), dh.data(), width);
    add_scaled(factor * float(slope), h.data(), sums.output.data.data() + word * width, width);
  };
  if (example.negatives.empty()) {
    const auto words = std::int32_t(tables.output.shape[0]);
    std::vector<double> scores(static_cast<std::size_t>(words));
    for (std::int32_t word = 0; word < words; ++word) scores[std::size_t(word)] = dot(h.data(), row(tables.output, word), width);
    const double most = *std::ranges::max_element(scores);
    double sum = 0;
    for (const double score : scores) sum += std::exp(score - most);
    const double normalizer = most + std::log(sum);
    loss = normalizer - scores[std::size_t(example.target)];
    for (std::int32_t word = 0; word < words; ++word)
      learn(word, std::exp(scores[std::size_t(word)] - normalizer) - (word == example.target ? 1 : 0));
  } else {
    const auto compare = [&](std::int32_t word, bool is_target) {
      const double score = dot(h.data(), row(tables.output, word), width);
      loss += softplus(is_target ? -score : score);
      learn(word, 1 / (1 + std::exp(-score)) - (is_target ? 1 : 0));
    };
    compare(example.target, true);
    for (const std::int32_t negative : example.negatives) compare(negative, false);
  }
  for (const std::int32_t word : example.words) add_scaled(factor * share, dh.data(), sums.input.data.data() + word * width, width);
  return loss;
}

std::vector<WordPair> word_pairs(std::span<const std::int32_t> words, std::int64_t window) {
  std::vector<WordPair> pairs;
  const auto count = std::int64_t(words.size());
  for (std::int64_t center = 0; center < count; ++center) {
    for (std::int64_t other = std::max<std::int64_t>(0, center - window); other <= std::min(count - 1, center + window); ++other)
      if (other != center) pairs.push_back({words[std::size_t(center)], words[std::size_t(other)]});
  }
  return pairs;
}

std::vector<double> noise_distribution(std::span<const std::int64_t> counts) {
  std::vector<double> shares;
  double sum = 0;
  for (const std::int64_t count : counts) sum += shares.emplace_back(std::pow(double(count), 0.75));
  for (double& share : shares) share /= sum;
  return shares;
}

double keep_probability(double share, double threshold) noexcept {
  return threshold > 0 ? std::min(1.0, std::sqrt(threshold / share) + threshold / share) : 1;
}

}  // namespace webformer
