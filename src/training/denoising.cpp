#include "training/denoising.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "training/shuffle.h"

namespace webformer {

namespace {

void append(Ids& to, std::span<const std::int32_t> ids) { to.insert(to.end(), ids.begin(), ids.end()); }

/// The sentences between the first and the last token.
std::vector<std::span<const std::int32_t>> sentences_of(std::span<const std::int32_t> ids, std::int32_t stop) {
  std::vector<std::span<const std::int32_t>> sentences;
  std::size_t begin = 1;
  for (std::size_t i = 1; i + 1 < ids.size(); ++i) {
    if (ids[i] != stop && i + 2 < ids.size()) continue;
    sentences.push_back(ids.subspan(begin, i + 1 - begin));
    begin = i + 1;
  }
  return sentences;
}

/// `total` cut into `parts` parts of at least 1, every way with the same probability.
std::vector<std::int64_t> cut(std::int64_t total, std::int64_t parts, Random& random) {
  std::vector<bool> starts(static_cast<std::size_t>(total - 1), false);
  std::fill_n(starts.begin(), parts - 1, true);
  shuffle(starts, random);
  std::vector<std::int64_t> lengths{1};
  for (const bool start : starts) start ? lengths.push_back(1) : void(++lengths.back());
  return lengths;
}

/// A number of Poisson's distribution (Knuth's way).
std::int64_t poisson(double mean, Random& random) {
  const double bound = std::exp(-mean);
  std::int64_t count = 0;
  for (double product = random.uniform(); product > bound; product *= random.uniform()) ++count;
  return count;
}

}  // namespace

CorruptedSpans corrupt_spans(std::span<const std::int32_t> ids, std::span<const TokenSpan> spans, std::int32_t first_sentinel,
                             std::int32_t eos, bool closing) {
  CorruptedSpans result;
  std::size_t place = 0;
  std::int32_t sentinel = first_sentinel;
  for (const TokenSpan& span : spans) {
    append(result.input, ids.subspan(place, std::size_t(span.start) - place));
    result.input.push_back(sentinel);
    result.target.push_back(sentinel--);
    append(result.target, ids.subspan(std::size_t(span.start), std::size_t(span.length)));
    place = std::size_t(span.start + span.length);
  }
  append(result.input, ids.subspan(place));
  if (closing) result.target.push_back(sentinel);
  result.input.push_back(eos);
  result.target.push_back(eos);
  return result;
}

std::vector<TokenSpan> spans_of(const std::vector<bool>& noise) {
  std::vector<TokenSpan> spans;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (!noise[i]) continue;
    if (i == 0 || !noise[i - 1]) spans.push_back({std::int64_t(i), 0});
    ++spans.back().length;
  }
  return spans;
}

std::vector<TokenSpan> choose_spans(std::int64_t length, double density, double mean_length, Random& random) {
  if (length < 2) return {};
  const std::int64_t noise = std::clamp<std::int64_t>(std::llround(double(length) * density), 1, length - 1);
  const std::int64_t count = std::clamp<std::int64_t>(std::llround(double(noise) / mean_length), 1, std::min(noise, length - noise));
  const auto noise_lengths = cut(noise, count, random), other_lengths = cut(length - noise, count, random);
  std::vector<TokenSpan> spans;
  std::int64_t place = 0;
  for (std::size_t i = 0; i < noise_lengths.size(); ++i) {
    place += other_lengths[i];
    spans.push_back({place, noise_lengths[i]});
    place += noise_lengths[i];
  }
  return spans;
}

std::vector<TokenSpan> choose_infilled(std::int64_t length, double share, double mean_length, Random& random) {
  const std::int64_t wanted = std::llround(double(length) * share);
  std::vector<std::int64_t> lengths;
  for (std::int64_t covered = 0; covered < wanted;) {
    lengths.push_back(std::min(poisson(mean_length, random), wanted - covered));
    covered += lengths.back();
  }
  // The places of the spans among the tokens that stay.
  std::vector<bool> is_span(lengths.size() + std::size_t(length - wanted), false);
  std::fill_n(is_span.begin(), lengths.size(), true);
  shuffle(is_span, random);
  std::vector<TokenSpan> spans;
  std::int64_t place = 0;
  for (const bool span : is_span) {
    if (!span) {
      ++place;
      continue;
    }
    spans.push_back({place, lengths[spans.size()]});
    place += spans.back().length;
  }
  return spans;
}

Ids mask_places(std::span<const std::int32_t> ids, std::span<const std::int64_t> places, std::int32_t mask) {
  Ids result(ids.begin(), ids.end());
  for (const std::int64_t place : places) result[std::size_t(place)] = mask;
  return result;
}

Ids delete_places(std::span<const std::int32_t> ids, std::span<const std::int64_t> places) {
  Ids result;
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (std::ranges::find(places, std::int64_t(i)) == places.end()) result.push_back(ids[i]);
  return result;
}

Ids infill_spans(std::span<const std::int32_t> ids, std::span<const TokenSpan> spans, std::int32_t mask) {
  Ids result;
  std::size_t place = 0;
  for (const TokenSpan& span : spans) {
    append(result, ids.subspan(place, std::size_t(span.start) - place));
    result.push_back(mask);
    place = std::size_t(span.start + span.length);
  }
  append(result, ids.subspan(place));
  return result;
}

std::int64_t count_sentences(std::span<const std::int32_t> ids, std::int32_t stop) { return std::int64_t(sentences_of(ids, stop).size()); }

Ids permute_sentences(std::span<const std::int32_t> ids, std::span<const std::int64_t> order, std::int32_t stop) {
  const auto sentences = sentences_of(ids, stop);
  if (order.size() != sentences.size())
    throw Error(Code::invalid_argument, "an order of {} sentences: {} were found", order.size(), sentences.size());
  Ids result{ids.front()};
  for (const std::int64_t sentence : order) append(result, sentences[std::size_t(sentence)]);
  result.push_back(ids.back());
  return result;
}

Ids rotate_document(std::span<const std::int32_t> ids, std::int64_t offset) {
  Ids result(ids.begin(), ids.end());
  std::rotate(result.begin() + 1, result.begin() + 1 + offset, result.end() - 1);
  return result;
}

Ids shift_right(std::span<const std::int32_t> ids, std::int32_t start) {
  Ids result{start};
  append(result, ids.first(ids.size() - std::min<std::size_t>(ids.size(), 1)));
  result.resize(ids.size());
  return result;
}

StreamBlocks cut_stream(std::span<const std::int32_t> stream, std::int64_t block) {
  StreamBlocks blocks{.rows = std::max<std::int64_t>(std::int64_t(stream.size()) - 1, 0) / block, .ids = {}, .labels = {}};
  const auto count = std::size_t(blocks.rows * block);
  append(blocks.ids, stream.first(count));
  append(blocks.labels, stream.subspan(count ? 1 : 0, count));
  return blocks;
}

}  // namespace webformer
