// Objectives that make their own labels: masked words, sentences that follow each other, noise that is to be undone.

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "training/masking.h"
#include "training/objective_table.h"
#include "training/shuffle.h"

namespace webformer {

namespace {

/// The shares and lengths of the papers: BERT, T5 and BART.
constexpr double masked_share = 0.15, corrupted_share = 0.15, corrupted_length = 3, infilled_share = 0.3, infilled_length = 3;
/// T5's inputs before corruption. More spans than it has sentinels for cannot come of them.
constexpr std::int64_t corrupted_text = 512;

std::optional<std::int32_t> first_known(const Tokenizer& tokenizer, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    if (const auto id = tokenizer.id_of(name)) return id;
  }
  return std::nullopt;
}

std::optional<std::int32_t> mask_of(const Tokenizer& tokenizer) {
  return first_known(tokenizer, {tokenizer.names().mask, "[MASK]", "<mask>"});
}

std::int32_t count_sentinels(const Tokenizer& tokenizer) {
  std::int32_t count = 0;
  while (tokenizer.id_of(webformer::format("<extra_id_{}>", count))) ++count;
  return count;
}

/// A number for each word, -1 for special tokens. In a second text the words are counted on.
Ids words_of(const Encoding& encoding, const ObjectiveContext& context) {
  Ids words(encoding.size());
  std::int32_t base = 0, last = -1;
  for (std::size_t i = 0; i < encoding.size(); ++i) {
    words[i] = -1;
    if (encoding.special_mask[i]) base = last + 1;
    if (encoding.special_mask[i] || context.source->is_special(encoding.ids[i])) continue;
    words[i] = context.options.whole_words && encoding.word_ids[i] >= 0 ? base + encoding.word_ids[i] : std::int32_t(i);
    last = std::max(last, words[i]);
  }
  return words;
}

Example example_of(const Encoding& encoding, const ObjectiveContext& context) {
  return {.ids = encoding.ids, .types = types_of(encoding), .words = words_of(encoding, context)};
}

Encoding encode_pair(const std::string& first, const std::string& second, const ObjectiveContext& context) {
  return context.source->encode(first, {.pair = second, .truncation = fitting(context)});
}

/// A token that is not special, each with the same probability.
std::int32_t any_token(const ObjectiveContext& context, Random& random) {
  const auto tokens = std::uint32_t(std::min<std::size_t>(context.source->vocab_size(), std::size_t(context.model.vocab_size)));
  for (;;) {
    const auto id = std::int32_t(random.below(tokens));
    if (context.source->has_token(id) && !context.source->is_special(id)) return id;
  }
}

/// The part of an example that is text: its first token, and one past its last.
std::array<std::size_t, 2> text_range(const Example& example) {
  const auto is_text = [](std::int32_t word) { return word >= 0; };
  const auto first = std::ranges::find_if(example.words, is_text);
  const auto last = std::find_if(example.words.rbegin(), example.words.rend(), is_text).base();
  return {std::size_t(first - example.words.begin()), std::size_t(std::max(first, last) - example.words.begin())};
}

/// BART's order of sentences: any.
Ids shuffle_sentences(const Ids& text, std::int32_t stop, Random& random) {
  Ids framed{-1};  // permute_sentences() leaves the first and the last token
  framed.insert(framed.end(), text.begin(), text.end());
  framed.push_back(-1);
  std::vector<std::int64_t> order(std::size_t(count_sentences(framed, stop)));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  framed = permute_sentences(framed, order, stop);
  return {framed.begin() + 1, framed.end() - 1};
}

}  // namespace

void need_mask(const ObjectiveContext& context) {
  if (!mask_of(*context.source)) throw Error(Code::invalid_argument, "train: the tokenizer has no mask token");
  std::size_t others = 0;
  for (std::int32_t id = 0; id < context.model.vocab_size; ++id) others += context.source->has_token(id) && !context.source->is_special(id);
  if (others == 0) throw Error(Code::invalid_argument, "train: the tokenizer has no tokens but special ones");
}

void need_sentinels(const ObjectiveContext& context) {
  if (count_sentinels(*context.source) == 0) throw Error(Code::invalid_argument, "train: the tokenizer has no token <extra_id_0>");
  if (context.end < 0) throw Error(Code::invalid_argument, "train: config.json has no eos_token_id, which ends what is learned");
}

std::vector<Example> read_text(const Row& row, const ObjectiveContext& context) {
  std::vector<Example> examples;
  for (const Encoding& part : encode_parts(*context.source, {.truncation = fitting(context)}, row.text())) {
    Example example = example_of(part, context);
    if (const auto [begin, end] = text_range(example); begin < end) examples.push_back(std::move(example));
  }
  return examples;
}

std::vector<Example> read_plain(const Row& row, const ObjectiveContext& context) {
  Truncation truncation = fitting(context);
  truncation.max_length = std::min<std::size_t>(truncation.max_length, std::size_t(corrupted_text)) - 1;  // and the end token
  std::vector<Example> examples;
  for (Encoding& part : encode_parts(*context.source, {.add_special_tokens = false, .truncation = truncation}, row.text()))
    if (part.size() > 1) examples.push_back({.ids = std::move(part.ids)});
  return examples;
}

std::vector<Example> read_pair(const Row& row, const ObjectiveContext& context) {
  const std::string first = row.text("first"), second = row.text("second");
  Example example = example_of(encode_pair(first, second, context), context);
  if (const auto [begin, end] = text_range(example); begin == end) return {};
  example.first = first;
  example.second = second;
  return {std::move(example)};
}

Example draw_masked(const Example& example, const Example*, const ObjectiveContext& context, Random& random) {
  Ids others(example.ids.size());
  for (std::int32_t& id : others) id = any_token(context, random);
  MaskedTokens masked = mask_tokens(example.ids, choose_masked(example.words, masked_share, random), others, *mask_of(*context.source));
  return {.ids = std::move(masked.ids), .types = example.types, .labels = std::move(masked.labels)};
}

Example draw_pair(const Example& example, const Example* other, const ObjectiveContext& context, Random& random) {
  const bool follows = !other || random.uniform() < 0.5;
  Example pair;
  if (follows) pair = draw_masked(example, nullptr, context, random);
  else pair = draw_masked(example_of(encode_pair(example.first, other->second, context), context), nullptr, context, random);
  pair.next_sentence = follows ? 0 : 1;
  return pair;
}

Example draw_noised(const Example& example, const Example*, const ObjectiveContext& context, Random& random) {
  const auto [begin, end] = text_range(example);
  Ids text(example.ids.begin() + std::ptrdiff_t(begin), example.ids.begin() + std::ptrdiff_t(end));
  if (const auto stop = context.source->id_of(".")) text = shuffle_sentences(text, *stop, random);
  text = infill_spans(text, choose_infilled(std::int64_t(text.size()), infilled_share, infilled_length, random), *mask_of(*context.source));

  Example noised{.labels = example.ids};
  noised.ids.assign(example.ids.begin(), example.ids.begin() + std::ptrdiff_t(begin));
  noised.ids.insert(noised.ids.end(), text.begin(), text.end());
  noised.ids.insert(noised.ids.end(), example.ids.begin() + std::ptrdiff_t(end), example.ids.end());
  return noised;
}

Example draw_corrupted(const Example& example, const Example*, const ObjectiveContext& context, Random& random) {
  std::vector<TokenSpan> spans = choose_spans(example.size(), corrupted_share, corrupted_length, random);
  const Tokenizer& tokenizer = *context.source;
  spans.resize(std::min(spans.size(), std::size_t(count_sentinels(tokenizer))));
  CorruptedSpans corrupted = corrupt_spans(example.ids, spans, *tokenizer.id_of("<extra_id_0>"), context.end, false);
  return {.ids = std::move(corrupted.input), .labels = std::move(corrupted.target)};
}

}  // namespace webformer
