#include "text/training/word_trainer.h"

#include <algorithm>
#include <numeric>

namespace webformer {

std::vector<std::string> learn_words(const WordCounts& words, const TrainerOptions& options) {
  std::vector<std::uint32_t> order(words.size());
  std::iota(order.begin(), order.end(), 0u);
  std::erase_if(order, [&](std::uint32_t i) {
    const bool is_special = std::ranges::find(options.special_tokens, words.word(i)) != options.special_tokens.end();
    return is_special || words.count(i) < options.min_frequency;
  });
  std::vector<std::string> tokens = options.special_tokens;
  const std::size_t room = std::min(order.size(), options.vocab_size - std::min(options.vocab_size, tokens.size()));
  std::ranges::partial_sort(order, order.begin() + std::ptrdiff_t(room), [&](std::uint32_t a, std::uint32_t b) {
    return words.count(a) != words.count(b) ? words.count(a) > words.count(b) : words.word(a) < words.word(b);
  });
  for (std::size_t i = 0; i < room; ++i) tokens.emplace_back(words.word(order[i]));
  return tokens;
}

}  // namespace webformer
