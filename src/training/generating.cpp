// Objectives of models that write: going on with a text, and making one text of another.

#include <algorithm>

#include "training/objective_table.h"

namespace webformer {

namespace {

/// The ids of a text for one side of a translation, cut where it is too long.
Ids side_of(const Tokenizer& tokenizer, const std::string& text, const std::optional<Surroundings>& around, std::int64_t longest) {
  const std::size_t others = around ? around->before.size() + around->after.size() : 0;
  const std::size_t room = std::size_t(longest) - std::min(others, std::size_t(longest) - 1);
  Ids ids = tokenizer.encode(text, {.add_special_tokens = !around, .truncation = Truncation{.max_length = room}}).ids;
  if (around) {
    ids.insert(ids.begin(), around->before.begin(), around->before.end());
    ids.insert(ids.end(), around->after.begin(), around->after.end());
  }
  return ids;
}

void end_with(Ids& ids, const ObjectiveContext& context) {
  if (context.end >= 0 && (ids.empty() || ids.back() != context.end) && std::int64_t(ids.size()) < context.longest)
    ids.push_back(context.end);
}

}  // namespace

std::vector<Example> read_continued(const Row& row, const ObjectiveContext& context) {
  std::vector<Encoding> parts = encode_parts(*context.source, {.truncation = fitting(context)}, row.text());
  end_with(parts.back().ids, context);
  std::vector<Example> examples;
  for (Encoding& part : parts) {
    if (part.ids.size() < 2) continue;  // no token has one before it
    examples.push_back({.ids = part.ids, .labels = part.ids});
  }
  return examples;
}

std::vector<Example> read_translated(const Row& row, const ObjectiveContext& context) {
  Example example{.ids = side_of(*context.source, context.options.prefix + row.text("source"), context.options.source, context.longest),
                  .labels = side_of(*context.target, row.text("target"), context.options.target, context.longest)};
  if (!context.options.target) end_with(example.labels, context);
  if (example.ids.empty() || example.labels.empty()) return {};
  return {std::move(example)};
}

}  // namespace webformer
