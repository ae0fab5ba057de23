#include "text/training/character_counts.h"

#include <algorithm>
#include <unordered_map>

#include "core/utf8.h"

namespace webformer {

Task<std::vector<CharacterCount>> count_characters(const WordCounts& words, Schedule& schedule) {
  constexpr std::size_t words_a_breath = 512;
  std::unordered_map<char32_t, std::uint64_t> counts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i % words_a_breath == 0) co_await schedule.breathe();
    const std::string_view word = words.word(i);
    for (std::size_t at = 0; at < word.size();) counts[next_code_point(word, at)] += words.count(i);
  }
  std::vector<CharacterCount> sorted;
  for (const auto& [c, count] : counts) sorted.push_back({c, count});
  std::ranges::sort(sorted, [](const CharacterCount& a, const CharacterCount& b) {
    return a.count != b.count ? a.count > b.count : a.character < b.character;
  });
  co_return sorted;
}

}  // namespace webformer
