// Text to ids.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/compiled.h"
#include "text/encoding_parts.h"

namespace webformer {
namespace {

constexpr std::size_t max_text = std::numeric_limits<std::int32_t>::max();  // bytes: places are 32 bits wide
constexpr std::size_t max_tokens = 1u << 26;                                // of all parts of one encoding

/// Bytes of a text to UTF-16 code units; quick where the places asked for are near each other.
class Utf16Places {
 public:
  explicit Utf16Places(std::string_view text)
      : text_(text), is_ascii_(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {}

  std::uint32_t at(std::uint32_t byte) {
    if (is_ascii_) return byte;
    while (byte_ < byte) {
      units_ += units(text_[byte_]);
      byte_ += std::uint32_t(utf8_width(text_[byte_]));
    }
    while (byte_ > byte) {
      byte_ = std::uint32_t(previous_code_point(text_, byte_));
      units_ -= units(text_[byte_]);
    }
    return units_;
  }

 private:
  static std::uint32_t units(char lead) { return utf8_width(lead) == 4 ? 2 : 1; }

  std::string_view text_;
  bool is_ascii_;
  std::uint32_t byte_ = 0, units_ = 0;
};

/// Appends what a section of the text became, and the words and added tokens in it.
void add_section(Words& words, AlignedText part, std::span<const AddedTokenSpec> tokens, const TokenFinder& normalized) {
  if (part.text.empty()) return;
  const auto offset = std::uint32_t(words.text.text.size());
  std::vector<TokenFinder::Match> matches;
  normalized.find_all(part.text, tokens, matches);
  std::size_t at = 0;
  const auto add = [&](std::size_t begin, std::size_t end, std::int32_t id) {
    if (begin < end) words.list.push_back({offset + std::uint32_t(begin), offset + std::uint32_t(end), id});
  };
  for (const TokenFinder::Match& match : matches) {
    add(at, match.begin, -1);
    add(match.begin, match.end, tokens[match.token].id);
    at = std::max(at, match.end);
  }
  add(at, part.text.size(), -1);
  const bool stays_identity = words.text.is_identity() && part.is_identity() && part.base == offset;
  if (!stays_identity) {
    words.text.spell_out();
    part.spell_out();
    words.text.spans.insert(words.text.spans.end(), part.spans.begin(), part.spans.end());
  }
  words.text.text += part.text;
}

Encoding encode_one(std::string_view text, std::int32_t type_id, const CompiledTokenizer& compiled, const AddedVocabulary& added) {
  if (text.size() > max_text) throw Error(Code::invalid_argument, "the text has {} bytes, {} at most", text.size(), max_text);
  const WellFormed well_formed(text, compiled);
  const std::string_view whole = well_formed.text;
  const Words words = make_words(well_formed, compiled, added);
  Encoding encoding;
  const std::size_t expected = whole.size() / 3 + 1;
  encoding.ids.reserve(expected);
  encoding.offsets.reserve(expected);
  encoding.word_ids.reserve(expected);
  // One for either end: the bytes of one unknown run all have the whole run's.
  Utf16Places begins(whole), ends = begins;
  ModelTokens tokens;
  const bool trims = compiled.post_processors.trims_offsets();
  for (std::size_t i = 0; i < words.list.size(); ++i) {
    const Word& word = words.list[i];
    tokens.clear();
    const AddedTokenSpec* special = word.added_id >= 0 ? added.find(word.added_id) : nullptr;
    if (special) tokens.push_back({word.added_id, word.begin, word.end, words.of(word) != special->content});
    else compiled.tokenize(words.of(word), word.begin, tokens);
    for (const ModelToken& token : tokens) {
      SourceSpan span = words.text.span(token.begin);
      span.end = token.end > token.begin ? words.text.span(token.end - 1).end : span.begin;
      const std::string_view shown = std::string_view(words.text.text).substr(token.begin, token.end - token.begin);
      if (trims) {
        const bool is_first = encoding.ids.empty() || span.begin == 0;
        const std::string_view as_token = token.shows_text ? shown
                                          : special        ? std::string_view(special->content)
                                                           : compiled.vocabulary().token(token.id);
        span = trimmed(as_token, span, whole, is_first && compiled.post_processors.keeps_first_space());
      }
      if (token.shows_text) encoding.surfaces.emplace_back(std::uint32_t(encoding.ids.size()), shown);
      encoding.ids.push_back(token.id);
      encoding.offsets.push_back({begins.at(span.begin), ends.at(span.end)});
      encoding.word_ids.push_back(std::int32_t(i));
    }
  }
  encoding.type_ids.assign(encoding.size(), type_id);
  encoding.attention_mask.assign(encoding.size(), 1);
  encoding.special_mask.assign(encoding.size(), 0);
  return encoding;
}

std::size_t part_count(std::size_t size, std::size_t length, std::size_t stride) {
  if (length >= size || length == 0) return 1;
  return 1 + (size - length + (length - stride) - 1) / (length - stride);
}

/// One text or two, cut as `truncation` says, each part with the template around it; the first is the encoding, the others its overflow.
Encoding assemble(Encoding first, std::optional<Encoding> second, const EncodeOptions& options, const PostProcessorChain& post) {
  const auto put_together = [&](const Encoding& a, const Encoding* b) { return post.apply(a, b, options.add_special_tokens); };
  if (!options.truncation) return put_together(first, second ? &*second : nullptr);

  const Truncation& truncation = *options.truncation;
  const std::size_t added = options.add_special_tokens ? post.added_count(second.has_value()) : 0;
  if (truncation.max_length < added) {
    throw Error(Code::invalid_argument, "truncation.maxLength is {}, {} and more expected, the tokens that are put around the text",
                truncation.max_length, added)
        .with("option", "maxLength");
  }
  const std::size_t length = truncation.max_length - added;
  if (truncation.stride > 0 && truncation.stride >= length) {
    throw Error(Code::invalid_argument, "truncation.stride is {}, below {} expected, the room for the text", truncation.stride, length)
        .with("option", "stride");
  }
  const auto [a_length, b_length] =
      kept_lengths(first.size(), second ? std::optional(second->size()) : std::nullopt, length, truncation.strategy);
  if (truncation.stride < std::min(a_length, second ? b_length : a_length)) {
    const std::size_t count =
        part_count(first.size(), a_length, truncation.stride) * (second ? part_count(second->size(), b_length, truncation.stride) : 1);
    if (count > max_tokens / std::max<std::size_t>(truncation.max_length, 1)) {
      throw Error(Code::invalid_argument, "truncation: {} parts of {} tokens, {} tokens together at most", count, truncation.max_length,
                  max_tokens);
    }
  }
  const std::vector<Encoding> a_parts = split(first, a_length, truncation.stride, truncation.direction);
  if (!second) {
    Encoding result = put_together(a_parts[0], nullptr);
    for (std::size_t i = 1; i < a_parts.size(); ++i) result.overflow.push_back(put_together(a_parts[i], nullptr));
    return result;
  }
  const std::vector<Encoding> b_parts = split(*second, b_length, truncation.stride, truncation.direction);
  Encoding result = put_together(a_parts[0], &b_parts[0]);
  for (std::size_t i = 1; i < a_parts.size(); ++i) {
    for (const Encoding& b : b_parts) result.overflow.push_back(put_together(a_parts[i], &b));
  }
  for (std::size_t i = 1; i < b_parts.size(); ++i) result.overflow.push_back(put_together(a_parts[0], &b_parts[i]));
  return result;
}

Encoding encode_with(std::string_view text, std::optional<std::string_view> pair, const EncodeOptions& options,
                     const CompiledTokenizer& compiled, const AddedVocabulary& added) {
  std::optional<Encoding> second;
  if (pair) second = encode_one(*pair, 1, compiled, added);
  return assemble(encode_one(text, 0, compiled, added), std::move(second), options, compiled.post_processors);
}

}  // namespace

WellFormed::WellFormed(std::string_view given, const CompiledTokenizer& compiled) {
  if (compiled.sentencepiece()) repaired = repair_utf8(given, Utf8Repair::each_byte, &malformed);
  else repaired = repair_utf8(given);
  text = repaired ? std::string_view(*repaired) : given;
}

Words make_words(const WellFormed& well_formed, const CompiledTokenizer& compiled, const AddedVocabulary& added) {
  const std::string_view text = well_formed.text;
  Words words;
  std::vector<TokenFinder::Match> matches;
  added.raw.find_all(text, added.tokens, matches);
  const auto section = [&](std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    AlignedText part{std::string(text.substr(begin, end - begin)), {}, std::uint32_t(begin)};
    for (const std::uint32_t place : well_formed.malformed) {
      if (place >= begin && place < end) part.malformed.push_back(place - std::uint32_t(begin));
    }
    compiled.normalizers.apply(part);
    add_section(words, std::move(part), added.tokens, added.normalized);
  };
  std::size_t at = 0;
  for (const TokenFinder::Match& match : matches) {
    section(at, match.begin);
    const auto offset = std::uint32_t(words.text.text.size());
    AlignedText token{std::string(text.substr(match.begin, match.end - match.begin)), {}, std::uint32_t(match.begin)};
    const auto size = std::uint32_t(token.text.size());
    if (!words.text.is_identity() || token.base != offset) {
      words.text.spell_out();
      token.spell_out();
      words.text.spans.insert(words.text.spans.end(), token.spans.begin(), token.spans.end());
    }
    words.text.text += token.text;
    words.list.push_back({offset, offset + size, added.tokens[match.token].id});
    at = std::max(at, match.end);
  }
  section(at, text.size());
  compiled.pre_tokenizers.apply(words);
  return words;
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  Encoding encoding = encode_with(text, options.pair, options, *compiled_, *added_);
  if (options.padding) pad_all(std::span(&encoding, 1), *options.padding);
  return encoding;
}

std::vector<Encoding> Tokenizer::encode_batch(std::span<const std::pair<std::string_view, std::optional<std::string_view>>> texts,
                                              const EncodeOptions& options) const {
  std::vector<Encoding> encodings;
  encodings.reserve(texts.size());
  for (const auto& [text, pair] : texts) encodings.push_back(encode_with(text, pair, options, *compiled_, *added_));
  if (options.padding) pad_all(encodings, *options.padding);
  return encodings;
}

void Tokenizer::pad_all(std::span<Encoding> encodings, const Padding& padding) const {
  std::size_t length = padding.length.value_or(0);
  if (!padding.length) {
    for (const Encoding& encoding : encodings) length = std::max(length, encoding.size());
  }
  if (length > max_tokens || padding.multiple_of > max_tokens) {
    throw Error(Code::invalid_argument, "padding: a length of {} tokens, {} at most", std::max(length, padding.multiple_of), max_tokens)
        .with("option", "padding");
  }
  if (padding.multiple_of > 0 && length % padding.multiple_of != 0) length += padding.multiple_of - length % padding.multiple_of;

  const std::optional<Padding>& own = compiled_->spec.padding;
  std::string token = padding.token ? *padding.token : padding.id ? std::string(token_of(*padding.id)) : names().pad;
  if (token.empty() && own && own->token && !padding.id) token = *own->token;
  if (token.empty() && !padding.id) token = "[PAD]";
  std::int32_t id = 0;
  if (padding.id) id = *padding.id;
  else if (const auto known = id_of(token)) id = *known;
  else if (own && own->id && own->token == token) id = *own->id;
  for (Encoding& encoding : encodings) {
    pad(encoding, length, padding.direction, id, token == token_of(id) ? std::string() : token, padding.type_id);
  }
}

std::string_view Tokenizer::token_text(const Encoding& encoding, std::size_t index) const {
  const auto surface = std::ranges::lower_bound(encoding.surfaces, index, {}, [](const auto& one) { return std::size_t(one.first); });
  if (surface != encoding.surfaces.end() && surface->first == index) return surface->second;
  return token_of(encoding.ids[index]);
}

}  // namespace webformer
