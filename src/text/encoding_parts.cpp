#include "text/encoding_parts.h"

#include <algorithm>

#include "core/error.h"

namespace webformer {

void push_token(Encoding& encoding, std::int32_t id, std::array<std::uint32_t, 2> offsets, std::int32_t type_id, std::int32_t word,
                bool is_special) {
  encoding.ids.push_back(id);
  encoding.offsets.push_back(offsets);
  encoding.type_ids.push_back(type_id);
  encoding.attention_mask.push_back(1);
  encoding.special_mask.push_back(is_special);
  encoding.word_ids.push_back(word);
}

Encoding slice(const Encoding& encoding, std::size_t begin, std::size_t end) {
  const auto part = [&](const auto& list) {
    return std::decay_t<decltype(list)>(list.begin() + std::ptrdiff_t(begin), list.begin() + std::ptrdiff_t(end));
  };
  Encoding result;
  result.ids = part(encoding.ids);
  result.offsets = part(encoding.offsets);
  result.type_ids = part(encoding.type_ids);
  result.attention_mask = part(encoding.attention_mask);
  result.special_mask = part(encoding.special_mask);
  result.word_ids = part(encoding.word_ids);
  for (const auto& [index, text] : encoding.surfaces) {
    if (index >= begin && index < end) result.surfaces.emplace_back(std::uint32_t(index - begin), text);
  }
  return result;
}

void append(Encoding& to, const Encoding& tail) {
  const auto add = [](auto& list, const auto& more) { list.insert(list.end(), more.begin(), more.end()); };
  for (const auto& [index, text] : tail.surfaces) to.surfaces.emplace_back(std::uint32_t(to.size() + index), text);
  add(to.ids, tail.ids);
  add(to.offsets, tail.offsets);
  add(to.type_ids, tail.type_ids);
  add(to.attention_mask, tail.attention_mask);
  add(to.special_mask, tail.special_mask);
  add(to.word_ids, tail.word_ids);
}

std::vector<Encoding> split(const Encoding& encoding, std::size_t length, std::size_t stride, Side direction) {
  const std::size_t count = encoding.size();
  std::vector<Encoding> parts;
  if (length >= count) {
    parts.push_back(encoding);
  } else if (length == 0) {
    parts.push_back({});
    parts.push_back(encoding);
  } else if (stride >= length) {
    throw Error(Code::invalid_argument, "truncation.stride is {}, below {} expected, the room for the text", stride, length)
        .with("option", "stride");
  } else if (direction == Side::right) {
    for (std::size_t begin = 0;; begin += length - stride) {
      const std::size_t end = std::min(begin + length, count);
      parts.push_back(slice(encoding, begin, end));
      if (end == count) break;
    }
  } else {
    for (std::size_t end = count;; end -= length - stride) {
      const std::size_t begin = end > length ? end - length : 0;
      parts.push_back(slice(encoding, begin, end));
      if (begin == 0) break;
    }
  }
  return parts;
}

std::pair<std::size_t, std::size_t> kept_lengths(std::size_t first, std::optional<std::size_t> second, std::size_t length,
                                                 TruncationStrategy strategy) {
  const std::size_t other = second.value_or(0);
  if (first + other <= length) return {first, other};
  if (length == 0) return {0, 0};
  const std::size_t removed = first + other - length;
  if (strategy == TruncationStrategy::longest_first) {
    if (!second) return {length, 0};
    std::size_t shorter = std::min(first, other), longer = shorter > length ? shorter : std::max(shorter, length - shorter);
    if (shorter + longer > length) {
      shorter = length / 2;
      longer = shorter + length % 2;
    }
    return first > other ? std::pair(longer, shorter) : std::pair(shorter, longer);
  }
  const bool cuts_first = strategy == TruncationStrategy::only_first;
  if (!cuts_first && !second)
    throw Error(Code::invalid_argument, "truncation.strategy is only_second, but there is no second text").with("option", "strategy");
  const std::size_t target = cuts_first ? first : other;
  if (target <= removed) {
    throw Error(Code::invalid_argument, "truncation.strategy is {}: {} tokens are to go, but that text has only {}",
                cuts_first ? "only_first" : "only_second", removed, target)
        .with("option", "strategy");
  }
  return cuts_first ? std::pair(first - removed, other) : std::pair(first, other - removed);
}

void pad(Encoding& encoding, std::size_t length, Side direction, std::int32_t id, const std::string& token, std::int32_t type_id) {
  for (Encoding& part : encoding.overflow) pad(part, length, direction, id, token, type_id);
  if (encoding.size() >= length) return;
  const std::size_t count = length - encoding.size();
  const std::size_t first = direction == Side::left ? 0 : encoding.size();
  const auto fill = [&](auto& list, auto value) { list.insert(list.begin() + std::ptrdiff_t(first), count, value); };
  if (direction == Side::left) {
    for (auto& surface : encoding.surfaces) surface.first += std::uint32_t(count);
  }
  fill(encoding.ids, id);
  fill(encoding.offsets, std::array<std::uint32_t, 2>{0, 0});
  fill(encoding.type_ids, type_id);
  fill(encoding.attention_mask, std::uint8_t(0));
  fill(encoding.special_mask, std::uint8_t(1));
  fill(encoding.word_ids, -1);
  if (token.empty()) return;
  std::vector<std::pair<std::uint32_t, std::string>> shown;
  for (std::size_t i = 0; i < count; ++i) shown.emplace_back(std::uint32_t(first + i), token);
  auto& surfaces = encoding.surfaces;  // which stay in order
  surfaces.insert(direction == Side::left ? surfaces.begin() : surfaces.end(), shown.begin(), shown.end());
}

}  // namespace webformer
