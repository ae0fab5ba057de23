#pragma once
// BERT's objectives (Devlin et al. 2019, section 3.1): masked words, and whether a sentence follows another.

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"

namespace webformer {

/// What becomes of a token.
enum class MaskAction : std::uint8_t {
  none,       ///< not chosen: it stays, and is not predicted
  mask,       ///< becomes the mask token
  replace,    ///< becomes another token
  unchanged,  ///< stays, and is predicted all the same
};

struct MaskedTokens {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> labels;  ///< the original id where a token was chosen, else ignored_label
};

/// `replacements` has the other token of each place; all spans have one size.
MaskedTokens mask_tokens(std::span<const std::int32_t> ids, std::span<const MaskAction> actions, std::span<const std::int32_t> replacements,
                         std::int32_t mask_id);

/// Chooses words until they have the share `share` of all tokens that have a word, and at least one: 80 % of their tokens are masked, 10 %
/// replaced, 10 % unchanged. `words` numbers the word of each token, -1 for special tokens; a number each gives the original rule, one
/// number for all tokens of a word masks whole words.
std::vector<MaskAction> choose_masked(std::span<const std::int32_t> words, double share, Random& random);

struct SentencePair {
  std::vector<std::int32_t> ids, types, mask;
};

/// [CLS] first [SEP] second [SEP], padded to `length`. Segment 1 begins with the second part. Throws invalid_argument where it is too long.
SentencePair join_sentences(std::span<const std::int32_t> first, std::span<const std::int32_t> second, std::int32_t cls, std::int32_t sep,
                            std::int32_t pad, std::size_t length);

}  // namespace webformer
