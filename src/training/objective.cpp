#include "training/objective.h"

#include <algorithm>

#include "core/error.h"
#include "training/objective_table.h"

namespace webformer {

struct ObjectiveRow {
  std::string_view name;
  std::string_view lacking;  ///< of a model that does not fit: "this gpt2 model …"
  bool (*fits)(const ModelConfig& model);
  std::vector<Example> (*read)(const Row& row, const ObjectiveContext& context);
  Example (*draw)(const Example& example, const Example* other, const ObjectiveContext& context, Random& random) = nullptr;
  void (*need)(const ObjectiveContext& context) = nullptr;
};

namespace {

bool has_head(const ModelConfig& model, std::initializer_list<Head> heads) { return std::ranges::find(heads, model.head) != heads.end(); }

bool is_seq2seq(const ModelConfig& model) { return model.kind == Kind::encoder_decoder && model.head == Head::causal_lm; }

/// In the order of TrainingTask.
constexpr ObjectiveRow rows[] = {
    {"text-classification", "has no labels for texts", [](const ModelConfig& m) { return has_head(m, {Head::sequence_classification}); },
     read_labelled},
    {"token-classification", "has no labels for words", [](const ModelConfig& m) { return has_head(m, {Head::token_classification}); },
     read_tagged},
    {"question-answering", "does not find answers in texts", [](const ModelConfig& m) { return has_head(m, {Head::question_answering}); },
     read_answered},
    {"translation", "does not make one text of another", is_seq2seq, read_translated},
    {"text-generation", "does not go on with a text",
     [](const ModelConfig& m) { return m.kind == Kind::decoder && has_head(m, {Head::causal_lm}); }, read_continued},
    {"masked-lm", "does not fill in what is masked", [](const ModelConfig& m) { return has_head(m, {Head::masked_lm, Head::pretraining}); },
     read_text, draw_masked, need_mask},
    {"denoising", "does not make one text of another", is_seq2seq, read_text, draw_noised, need_mask},
    {"span-corruption", "does not make one text of another", is_seq2seq, read_plain, draw_corrupted, need_sentinels},
    {"masked-lm-next-sentence", "does not both fill in what is masked and tell whether a sentence follows another",
     [](const ModelConfig& m) { return has_head(m, {Head::pretraining}); }, read_pair, draw_pair, need_mask},
};

}  // namespace

TrainingTask training_task(std::string_view name) {
  const auto* found = std::ranges::find(rows, name, &ObjectiveRow::name);
  if (found == std::end(rows)) {
    std::vector<std::string_view> known;
    for (const ObjectiveRow& row : rows) known.push_back(row.name);
    throw Error(Code::invalid_argument, "task: {} found, one of {} expected", name, join(known));
  }
  return TrainingTask(found - rows);
}

Objective::Objective(TrainingTask task, const ModelConfig& model, std::shared_ptr<const Tokenizer> source,
                     std::shared_ptr<const Tokenizer> target, ObjectiveOptions options)
    : task_(task),
      row_(&rows[std::size_t(task)]),
      context_{.model = model, .source = std::move(source), .target = std::move(target), .options = std::move(options)} {
  if (!context_.source || !context_.target)
    throw Error(Code::invalid_argument, "train: this model has no tokenizer, so that it learns from task 'batches' only");
  if (!row_->fits(model)) {
    throw Error(Code::invalid_argument, "train: task '{}' found, but this {} model {}", row_->name, model.model_type, row_->lacking);
  }
  context_.longest = std::min(model.context_length, std::int64_t(context_.source->model_max_length().value_or(UINT32_MAX)));
  if (!model.eos_token_ids.empty()) context_.end = model.eos_token_ids.front();
  if (row_->need) row_->need(context_);
}

std::vector<Example> Objective::read(const Row& row) const { return row_->read(row, context_); }

Example Objective::draw(const Example& example, const Example* other, Random& random) const {
  return row_->draw ? row_->draw(example, other, context_, random) : example;
}

std::vector<Encoding> encode_parts(const Tokenizer& tokenizer, const EncodeOptions& options, std::string_view text) {
  Encoding whole = tokenizer.encode(text, options);
  std::vector<Encoding> parts = std::move(whole.overflow);
  parts.insert(parts.begin(), std::move(whole));
  return parts;
}

Truncation fitting(const ObjectiveContext& context) { return {.max_length = std::size_t(context.longest)}; }

Ids types_of(const Encoding& encoding) {
  const bool any = std::ranges::any_of(encoding.type_ids, [](std::int32_t type) { return type != 0; });
  return any ? encoding.type_ids : Ids{};
}

}  // namespace webformer
