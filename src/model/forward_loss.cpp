#include "model/forward_call.h"
#include "model/loss.h"

namespace webformer {

namespace {

void require_labels(std::size_t found, std::int64_t expected, std::string_view name) {
  if (std::int64_t(found) != expected) throw Error(Code::invalid_argument, "{}: {} numbers, {} expected", name, found, expected);
}

/// Labels of [B, T] as the rows of the logits see them: for a causal model, those of the next token.
std::vector<std::int32_t> aligned_labels(const ForwardCall& call) {
  const IdMatrix& labels = call.inputs.labels;
  require_labels(labels.data.size(), call.top().batch * call.top().length, "labels");
  if (call.config().kind != Kind::decoder || call.config().head != Head::causal_lm) return labels.data;
  std::vector<std::int32_t> next(labels.data.size(), ignored_label);
  for (std::int64_t b = 0; b < labels.rows; ++b) {
    for (std::int64_t t = 0; t + 1 < labels.cols; ++t) next[std::size_t(b * labels.cols + t)] = labels.at(b, t + 1);
  }
  return next;
}

float classification_loss(const ForwardCall& call) {
  const ConstMatrix logits = call.output.logits->matrix();
  const ForwardInputs& in = call.inputs;
  const std::string& problem = call.config().problem_type;
  const std::int64_t labels = logits.cols;
  if (problem == "regression" || (problem.empty() && labels == 1)) {
    std::vector<float> targets = in.float_labels;
    if (targets.empty()) targets.assign(in.labels.data.begin(), in.labels.data.end());
    require_labels(targets.size(), logits.rows * labels, "labels");
    return mean_squared_error(logits, targets);
  }
  if (problem == "multi_label_classification" || (problem.empty() && !in.float_labels.empty())) {
    std::vector<float> targets = in.float_labels;
    if (targets.empty()) targets.assign(in.labels.data.begin(), in.labels.data.end());
    require_labels(targets.size(), logits.rows * labels, "labels");
    return binary_cross_entropy(logits, targets);
  }
  require_labels(in.labels.data.size(), logits.rows, "labels");
  return cross_entropy(logits, in.labels.data);
}

}  // namespace

void compute_loss(ForwardCall& call) {
  const ForwardInputs& in = call.inputs;
  ModelOutput& out = call.output;
  const auto add_loss = [&](float loss) { out.loss = out.loss.value_or(0) + loss; };
  if (in.labels.given() || !in.float_labels.empty()) {
    if (!out.logits) throw Error(Code::invalid_argument, "labels: this model has no logits to compare them with");
    if (call.config().head == Head::sequence_classification) {
      add_loss(classification_loss(call));
    } else {
      if (call.options.logits != ForwardOptions::Logits::all)
        throw Error(Code::invalid_argument, "labels: logits 'all' expected beside them");
      add_loss(cross_entropy(out.logits->matrix(), aligned_labels(call)));
    }
  }
  if (!in.next_sentence_label.empty()) {
    if (!out.next_sentence_logits) throw Error(Code::invalid_argument, "nextSentenceLabel: this model has no next-sentence head");
    require_labels(in.next_sentence_label.size(), out.next_sentence_logits->shape[0], "nextSentenceLabel");
    add_loss(cross_entropy(out.next_sentence_logits->matrix(), in.next_sentence_label));
  }
  if (!in.start_positions.empty() || !in.end_positions.empty()) {
    if (!out.start_logits) throw Error(Code::invalid_argument, "startPositions: this model has no question-answering head");
    require_labels(in.start_positions.size(), out.start_logits->shape[0], "startPositions");
    require_labels(in.end_positions.size(), out.end_logits->shape[0], "endPositions");
    const auto within = [&](std::vector<std::int32_t> positions) {  // answers outside of the text are ignored, as in transformers
      for (std::int32_t& p : positions) p = p < 0 || p >= out.start_logits->shape[1] ? ignored_label : p;
      return positions;
    };
    add_loss((cross_entropy(out.start_logits->matrix(), within(in.start_positions)) +
              cross_entropy(out.end_logits->matrix(), within(in.end_positions))) /
             2);
  }
}

}  // namespace webformer
