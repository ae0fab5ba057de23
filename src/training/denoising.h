#pragma once
// Objectives of encoder-decoders: T5's span corruption (Raffel et al. 2020, section 3.1.4) and BART's noise (Lewis et al. 2020,
// section 2.2).

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"

namespace webformer {

/// Tokens [start, start + length).
struct TokenSpan {
  std::int64_t start, length;
  bool operator==(const TokenSpan&) const = default;
};

using Ids = std::vector<std::int32_t>;

struct CorruptedSpans {
  Ids input, target;
};

/// Each span becomes one sentinel of the input; the target is each sentinel followed by its span. Sentinels count down from
/// `first_sentinel`. With `closing`, one more sentinel ends the target, as in the paper's figure. Both end with eos.
/// Spans are in order and do not overlap.
CorruptedSpans corrupt_spans(std::span<const std::int32_t> ids, std::span<const TokenSpan> spans, std::int32_t first_sentinel,
                             std::int32_t eos, bool closing);
/// The runs of true.
std::vector<TokenSpan> spans_of(const std::vector<bool>& noise);
/// Spans that cover the share `density` of `length` tokens, `mean_length` long on average, the first of which is never noise: T5's
/// random_spans_noise_mask. None where length < 2.
std::vector<TokenSpan> choose_spans(std::int64_t length, double density, double mean_length, Random& random);

/// Spans of Poisson-distributed lengths, some of them empty, that cover the share `share` of `length` tokens: BART's text infilling.
/// Every arrangement of them has the same probability.
std::vector<TokenSpan> choose_infilled(std::int64_t length, double share, double mean_length, Random& random);

Ids mask_places(std::span<const std::int32_t> ids, std::span<const std::int64_t> places, std::int32_t mask);
Ids delete_places(std::span<const std::int32_t> ids, std::span<const std::int64_t> places);
/// Each span, an empty one too, becomes one mask.
Ids infill_spans(std::span<const std::int32_t> ids, std::span<const TokenSpan> spans, std::int32_t mask);
/// Sentences end with `stop`. The first and the last token stay; sentence i becomes the one that order[i] numbers.
Ids permute_sentences(std::span<const std::int32_t> ids, std::span<const std::int64_t> order, std::int32_t stop);
/// How many sentences permute_sentences sees.
std::int64_t count_sentences(std::span<const std::int32_t> ids, std::int32_t stop);
/// The first and the last token stay; the others begin with number `offset` of them.
Ids rotate_document(std::span<const std::int32_t> ids, std::int64_t offset);

/// The start id, then all ids but the last: what a decoder reads to predict `ids`.
Ids shift_right(std::span<const std::int32_t> ids, std::int32_t start);

/// Rows of `block` tokens, and for each the token that follows it: the last label of a row is the first token of the next.
struct StreamBlocks {
  std::int64_t rows = 0;
  Ids ids, labels;  ///< [rows, block]
};
/// What fills no block is left out.
StreamBlocks cut_stream(std::span<const std::int32_t> stream, std::int64_t block);

}  // namespace webformer
