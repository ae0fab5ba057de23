#include "training/labels.h"

#include <algorithm>

#include "kernels/cross_entropy.h"

namespace webformer {

namespace {

bool labels_tokens(const Model& model, const ForwardInputs& inputs) {
  return inputs.labels.given() && model.config.head != Head::sequence_classification;
}

/// The labels of tokens that count, row by row. A causal model predicts each but the first of a row.
std::vector<std::int32_t> counted_labels(const Model& model, const IdMatrix& labels) {
  const std::int64_t first = model.config.kind == Kind::decoder && model.config.head == Head::causal_lm ? 1 : 0;
  std::vector<std::int32_t> counted;
  for (std::int64_t b = 0; b < labels.rows; ++b) {
    for (std::int64_t t = first; t < labels.cols; ++t)
      if (labels.at(b, t) != ignored_label) counted.push_back(labels.at(b, t));
  }
  return counted;
}

/// scores: [N, …], a row for each label.
std::int64_t count_likeliest(ConstMatrix scores, std::span<const std::int32_t> labels) {
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < scores.rows; ++i) {
    const std::int32_t label = labels[std::size_t(i)];
    if (label != ignored_label) right += std::max_element(scores.row(i), scores.row(i) + scores.cols) - scores.row(i) == label;
  }
  return right;
}

}  // namespace

std::int64_t count_labels(const Model& model, const ForwardInputs& inputs) {
  return labels_tokens(model, inputs) ? std::int64_t(counted_labels(model, inputs.labels).size()) : inputs.input_ids.rows;
}

std::int64_t count_sentences(const ForwardInputs& inputs) {
  return std::ranges::count_if(inputs.next_sentence_label, [](std::int32_t label) { return label != ignored_label; });
}

std::optional<std::int64_t> count_right(const Model& model, const ForwardInputs& inputs, const ModelOutput& output) {
  if (output.start_logits) {
    std::int64_t right = 0;
    for (std::int64_t b = 0; b < inputs.input_ids.rows; ++b) {
      const std::size_t row = std::size_t(b);
      const auto is_right = [&](const Array& scores, const std::vector<std::int32_t>& places) {
        return count_likeliest(ConstMatrix(scores.matrix().row(b), 1, scores.shape[1]), std::span(places).subspan(row, 1)) == 1;
      };
      right += is_right(*output.start_logits, inputs.start_positions) && is_right(*output.end_logits, inputs.end_positions);
    }
    return right;
  }
  if (!output.logits || !inputs.labels.given() || output.logits->shape[-1] == 1) return std::nullopt;
  if (!model.heads.lm) return count_likeliest(output.logits->matrix(), inputs.labels.data);
  return count_likeliest(output.logits->matrix(), counted_labels(model, inputs.labels));
}

}  // namespace webformer
