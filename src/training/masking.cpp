#include "training/masking.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "kernels/cross_entropy.h"
#include "training/shuffle.h"

namespace webformer {

MaskedTokens mask_tokens(std::span<const std::int32_t> ids, std::span<const MaskAction> actions, std::span<const std::int32_t> replacements,
                         std::int32_t mask_id) {
  MaskedTokens result{{ids.begin(), ids.end()}, std::vector<std::int32_t>(ids.size(), ignored_label)};
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (actions[i] == MaskAction::none) continue;
    result.labels[i] = ids[i];
    if (actions[i] == MaskAction::mask) result.ids[i] = mask_id;
    if (actions[i] == MaskAction::replace) result.ids[i] = replacements[i];
  }
  return result;
}

std::vector<MaskAction> choose_masked(std::span<const std::int32_t> words, double share, Random& random) {
  std::map<std::int32_t, std::vector<std::size_t>> places;
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < 0) continue;
    places[words[i]].push_back(i);
    ++tokens;
  }
  std::vector<std::int32_t> order;
  for (const auto& [word, of_word] : places) order.push_back(word);
  shuffle(order, random);

  std::vector<MaskAction> actions(words.size(), MaskAction::none);
  const double wanted = std::max(1.0, share * double(tokens));
  std::size_t chosen = 0;
  for (const std::int32_t word : order) {
    if (double(chosen) + 0.5 >= wanted) break;  // the nearest number of tokens
    for (const std::size_t place : places[word]) {
      const double u = random.uniform();
      actions[place] = u < 0.8 ? MaskAction::mask : u < 0.9 ? MaskAction::replace : MaskAction::unchanged;
      ++chosen;
    }
  }
  return actions;
}

SentencePair join_sentences(std::span<const std::int32_t> first, std::span<const std::int32_t> second, std::int32_t cls, std::int32_t sep,
                            std::int32_t pad, std::size_t length) {
  SentencePair pair;
  pair.ids.push_back(cls);
  pair.ids.insert(pair.ids.end(), first.begin(), first.end());
  pair.ids.push_back(sep);
  pair.types.assign(pair.ids.size(), 0);
  pair.ids.insert(pair.ids.end(), second.begin(), second.end());
  pair.ids.push_back(sep);
  if (pair.ids.size() > length)
    throw Error(Code::invalid_argument, "a pair of sentences: {} tokens, at most {} expected", pair.ids.size(), length);
  pair.types.resize(pair.ids.size(), 1);
  pair.mask.assign(pair.ids.size(), 1);
  pair.ids.resize(length, pad);
  pair.types.resize(length, 0);
  pair.mask.resize(length, 0);
  return pair;
}

}  // namespace webformer
