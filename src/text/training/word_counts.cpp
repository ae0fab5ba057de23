#include "text/training/word_counts.h"

#include <limits>

#include "core/error.h"
#include "text/hash.h"

namespace webformer {

void WordCounts::add(std::string_view word, std::uint64_t count) {
  if (2 * (words_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash_text(word) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const std::uint32_t index = slots_[at] - 1;
    if (words_[index] != word) continue;
    counts_[index] += count;
    return;
  }
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (words_.byte_size() + word.size() > most)
    throw Error(Code::out_of_memory, "training: words of more than {} bytes together", most);
  words_.push_back(word);
  counts_.push_back(count);
  slots_[at] = std::uint32_t(words_.size());
}

void WordCounts::grow() {
  slots_.assign(slots_.empty() ? 1024 : 2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    std::size_t at = hash_text(words_[i]) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = std::uint32_t(i + 1);
  }
}

}  // namespace webformer
