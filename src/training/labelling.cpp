// Objectives of models that label: a text, its words, or the answer in it.

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/utf8.h"
#include "training/objective_table.h"

namespace webformer {

namespace {

/// [begin, end) in UTF-16 code units, as a tokenizer's offsets are.
using Range = std::array<std::int64_t, 2>;

/// The window and its overlap of transformers' question answering.
constexpr std::int64_t answer_window = 384, answer_stride = 128;

std::int64_t utf16_length(std::string_view text) {
  std::int64_t length = 0;
  for (std::size_t at = 0; at < text.size();) length += next_code_point(text, at) < 0x10000 ? 1 : 2;
  return length;
}

/// The rest of a text from a place on; empty where the place is not in it.
std::string_view text_from(std::string_view text, std::int64_t place) {
  std::size_t at = 0;
  for (std::int64_t seen = 0; seen < place && at < text.size();) seen += next_code_point(text, at) < 0x10000 ? 1 : 2;
  return text.substr(at);
}

std::int32_t label_of(const ObjectiveContext& context, const std::string& label, const std::string& place) {
  const std::vector<std::string>& labels = context.model.labels;
  const auto found = std::ranges::find(labels, label);
  if (found != labels.end()) return std::int32_t(found - labels.begin());
  throw Error(Code::invalid_argument, "{}: {} found, one of {} expected", place, label, join(labels));
}

/// Which of the ranges, in order, a token's text is in; -1: none.
std::int32_t range_of(const std::vector<Range>& ranges, const std::array<std::uint32_t, 2>& offsets) {
  if (offsets[0] == offsets[1]) return -1;
  const auto after = std::ranges::upper_bound(ranges, std::int64_t(offsets[0]), {}, [](const Range& range) { return range[1]; });
  return after != ranges.end() && std::int64_t(offsets[1]) > (*after)[0] ? std::int32_t(after - ranges.begin()) : -1;
}

/// Which tokens are of the second text. Templates have something between the two.
std::vector<bool> tokens_of_second(const Encoding& encoding, std::size_t tokens_of_first) {
  std::vector<bool> second(encoding.size());
  std::size_t seen = 0;
  for (std::size_t i = 0; i < encoding.size(); ++i) second[i] = !encoding.special_mask[i] && ++seen > tokens_of_first;
  return second;
}

/// The first and the last token of an answer; of none, where a part of the context lacks some of it: then the first token of all, as
/// transformers has it.
std::array<std::int32_t, 2> find_answer(const Encoding& encoding, const std::vector<bool>& is_context, const Range& answer) {
  std::int32_t first = -1, last = -1;
  bool begins = false;
  for (std::size_t i = 0; i < encoding.size(); ++i) {
    const auto [begin, end] = encoding.offsets[i];
    if (!is_context[i] || begin == end || end <= answer[0] || begin >= answer[1]) {
      begins |= is_context[i] && end <= answer[0];
      continue;
    }
    if (first < 0) first = std::int32_t(i);
    last = std::int32_t(i);
    begins |= begin <= answer[0];
  }
  if (first < 0 || !begins || encoding.offsets[std::size_t(last)][1] < answer[1]) return {0, 0};
  return {first, last};
}

}  // namespace

std::vector<Example> read_labelled(const Row& row, const ObjectiveContext& context) {
  const std::string text = row.text("text");
  const std::optional<std::string> pair = row.optional_text("pair");
  const Encoding encoding = context.source->encode(text, {.pair = pair, .truncation = fitting(context)});
  return {{.ids = encoding.ids, .types = types_of(encoding), .labels = {label_of(context, row.text("label"), row.name + ".label")}}};
}

std::vector<Example> read_tagged(const Row& row, const ObjectiveContext& context) {
  const std::vector<std::string> words = row.texts("words"), labels = row.texts("labels");
  if (words.size() != labels.size())
    throw Error(Code::invalid_argument, "{}: {} words and {} labels found, as many expected", row.name, words.size(), labels.size());
  std::string text;
  std::vector<Range> ranges;
  Ids label_ids;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::int64_t begin = ranges.empty() ? 0 : ranges.back()[1] + 1;
    ranges.push_back({begin, begin + utf16_length(words[i])});
    text += (i ? " " : "") + words[i];
    label_ids.push_back(label_of(context, labels[i], webformer::format("{}.labels[{}]", row.name, i)));
  }

  // The first token of a word has its label, the others none.
  std::vector<Example> examples;
  std::int32_t last_word = -1;
  for (const Encoding& part : encode_parts(*context.source, {.truncation = fitting(context)}, text)) {
    Example example{.ids = part.ids, .types = types_of(part), .labels = Ids(part.size(), ignored_label)};
    bool any = false;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::int32_t word = part.special_mask[i] ? -1 : range_of(ranges, part.offsets[i]);
      if (word <= last_word) continue;
      example.labels[i] = label_ids[std::size_t(word)];
      last_word = word;
      any = true;
    }
    if (any) examples.push_back(std::move(example));
  }
  return examples;
}

std::vector<Example> read_answered(const Row& row, const ObjectiveContext& context) {
  const std::string question = row.text("question"), text = row.text("context"), answer = row.text("answer");
  const std::int64_t start = answer.empty() ? 0 : row.count("start");
  if (!text_from(text, start).starts_with(answer))
    throw Error(Code::invalid_argument, "{}.start: {} found, where the context does not go on with the answer", row.name, start);
  const std::int64_t window = std::min(context.longest, answer_window);
  const Truncation truncation{.max_length = std::size_t(window),
                              .stride = std::size_t(std::min(window / 2, answer_stride)),
                              .strategy = TruncationStrategy::only_second};
  const std::size_t asked = context.source->encode(question, {.add_special_tokens = false}).size();
  const Range place{start, start + utf16_length(answer)};

  std::vector<Example> examples;
  for (const Encoding& part : encode_parts(*context.source, {.pair = text, .truncation = truncation}, question)) {
    const auto [first, last] = find_answer(part, tokens_of_second(part, asked), place);
    examples.push_back({.ids = part.ids, .types = types_of(part), .start = first, .end = last});
  }
  return examples;
}

}  // namespace webformer
