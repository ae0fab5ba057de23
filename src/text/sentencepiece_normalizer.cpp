#include "text/sentencepiece_normalizer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace webformer {
namespace {

struct Prefix {
  std::string_view result;
  std::size_t consumed;
};

Prefix normalize_prefix(std::string_view text, const Charsmap* charsmap, const DoubleArray& user_defined) {
  auto cursor = user_defined.begin();
  std::size_t matched = 0;
  for (std::size_t i = 0; i < text.size() && cursor.advance(text[i]); ++i) {
    if (cursor.is_key()) matched = i + 1;
  }
  if (matched > 0) return {text.substr(0, matched), matched};
  if (charsmap) {
    if (const auto found = charsmap->longest(text)) return {found->replacement, found->length};
  }
  const std::size_t width = utf8_width(text[0]);
  return {text.substr(0, width), width};
}

}  // namespace

void normalize_as_sentencepiece(AlignedText& text, const SentencePieceNormalizer& options, const Charsmap* charsmap,
                                const DoubleArray& user_defined) {
  std::string_view input = text.text;
  const std::string_view space = options.escape_whitespaces ? "\u2581" : " ";
  std::size_t consumed = 0;
  // A malformed byte became U+FFFD: that stays, whatever the charsmap says of U+FFFD in a text.
  const auto next_prefix = [&]() -> Prefix {
    const bool is_malformed = std::ranges::binary_search(text.malformed, std::uint32_t(consumed));
    return is_malformed ? Prefix{input.substr(0, utf8_width(input[0])), utf8_width(input[0])}
                        : normalize_prefix(input, charsmap, user_defined);
  };
  const auto consume = [&](std::size_t count) {
    input.remove_prefix(count);
    consumed += count;
  };
  while (options.remove_extra_whitespaces && !input.empty()) {
    const Prefix prefix = next_prefix();
    if (prefix.result != " ") break;
    consume(prefix.consumed);
  }
  AlignedText result;
  result.base = text.base;
  std::vector<std::uint32_t> starts;  // of each byte of the result: where in the input
  const auto add = [&](std::string_view bytes) {
    result.text.append(bytes);
    starts.insert(starts.end(), bytes.size(), std::uint32_t(consumed));
  };
  if (!input.empty()) {
    result.text.reserve(input.size() + input.size() / 2);
    starts.reserve(input.size() + input.size() / 2);
    if (!options.treat_whitespace_as_suffix && options.add_dummy_prefix) add(space);
    bool after_space = options.remove_extra_whitespaces;
    while (!input.empty()) {
      auto [part, count] = next_prefix();
      while (after_space && part.starts_with(' ')) part.remove_prefix(1);
      for (std::size_t i = 0; i < part.size(); ++i) add(part[i] == ' ' ? space : part.substr(i, 1));
      if (!part.empty()) after_space = part.ends_with(' ');
      consume(count);
      after_space = after_space && options.remove_extra_whitespaces;
    }
    while (options.remove_extra_whitespaces && result.text.ends_with(space)) {
      result.text.resize(result.text.size() - space.size());
      consumed = starts[result.text.size()];
      starts.resize(result.text.size());
    }
    if (options.treat_whitespace_as_suffix && options.add_dummy_prefix) add(space);
  }
  starts.push_back(std::uint32_t(consumed));
  result.spans.reserve(result.text.size());
  for (std::size_t i = 0; i < result.text.size(); ++i) result.spans.push_back({text.base + starts[i], text.base + starts[i + 1]});
  text = std::move(result);
}

}  // namespace webformer
