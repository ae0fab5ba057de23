#include "text/training/text_to_words.h"

#include <limits>
#include <string>

#include "core/error.h"
#include "core/utf8.h"

namespace webformer {

TextToWords::TextToWords(const std::vector<Normalizer>& normalizers, const std::vector<PreTokenizer>& pre_tokenizers)
    : normalizers_(normalizers, "trainTokenizer", no_pieces_), pre_tokenizers_(pre_tokenizers, false, "trainTokenizer") {}

void TextToWords::count(std::string_view text, WordCounts& counts) const {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();  // places are 32 bits wide
  if (text.size() > most) throw Error(Code::invalid_argument, "a text has {} bytes, {} at most", text.size(), most);
  Words words;
  const auto repaired = repair_utf8(text);
  words.text.text = repaired ? *repaired : std::string(text);
  normalizers_.apply(words.text);
  if (words.text.text.empty()) return;
  words.list.push_back({0, std::uint32_t(words.text.text.size())});
  pre_tokenizers_.apply(words);
  for (const Word& word : words.list) counts.add(words.of(word));
}

}  // namespace webformer
