#include <algorithm>

#include "model/forward_call.h"
#include "model/loss.h"

namespace webformer {

namespace {

/// One summand of a loss.
struct LossTerm {
  enum class Kind { cross_entropy, squared_error, binary } kind;
  std::optional<Array> ModelOutput::* scores;
  std::vector<std::int32_t> labels = {};  // of cross-entropy
  std::vector<float> targets = {};        // of the others
  float weight = 1;
};

void require_labels(std::size_t found, std::int64_t expected, std::string_view name) {
  if (std::int64_t(found) != expected) throw Error(Code::invalid_argument, "{}: {} numbers, {} expected", name, found, expected);
}

LossTerm vocabulary_term(const ForwardCall& call) {
  LossTerm term{.kind = LossTerm::Kind::cross_entropy,
                .scores = &ModelOutput::logits,
                .labels = aligned_labels(call),
                .weight = call.share.labels};
  if (call.options.logits == ForwardOptions::Logits::labelled) {
    std::erase(term.labels, ignored_label);
  } else if (call.options.logits != ForwardOptions::Logits::all) {
    throw Error(Code::invalid_argument, "labels: logits 'all' expected beside them");
  }
  return term;
}

LossTerm classification_term(const ForwardCall& call) {
  const Shape& scores = call.output.logits->shape;
  const ForwardInputs& in = call.inputs;
  const std::string& problem = call.config().problem_type;
  LossTerm term{.kind = LossTerm::Kind::cross_entropy, .scores = &ModelOutput::logits, .weight = call.share.labels};
  if (problem == "regression" || (problem.empty() && scores[1] == 1)) term.kind = LossTerm::Kind::squared_error;
  else if (problem == "multi_label_classification" || (problem.empty() && !in.float_labels.empty())) term.kind = LossTerm::Kind::binary;
  if (term.kind == LossTerm::Kind::cross_entropy) {
    require_labels(in.labels.data.size(), scores[0], "labels");
    term.labels = in.labels.data;
  } else {
    term.targets = in.float_labels;
    if (term.targets.empty()) term.targets.assign(in.labels.data.begin(), in.labels.data.end());
    require_labels(term.targets.size(), scores.size(), "labels");
  }
  return term;
}

std::vector<LossTerm> loss_terms(const ForwardCall& call) {
  const ForwardInputs& in = call.inputs;
  const ModelOutput& out = call.output;
  std::vector<LossTerm> terms;
  if (in.labels.given() || !in.float_labels.empty()) {
    if (!out.logits) throw Error(Code::invalid_argument, "labels: this model has no logits to compare them with");
    terms.push_back(call.config().head == Head::sequence_classification ? classification_term(call) : vocabulary_term(call));
  }
  if (!in.next_sentence_label.empty()) {
    if (!out.next_sentence_logits) throw Error(Code::invalid_argument, "nextSentenceLabel: this model has no next-sentence head");
    require_labels(in.next_sentence_label.size(), out.next_sentence_logits->shape[0], "nextSentenceLabel");
    terms.push_back({.kind = LossTerm::Kind::cross_entropy,
                     .scores = &ModelOutput::next_sentence_logits,
                     .labels = in.next_sentence_label,
                     .weight = call.share.sentences});
  }
  if (!in.start_positions.empty() || !in.end_positions.empty()) {
    if (!out.start_logits) throw Error(Code::invalid_argument, "startPositions: this model has no question-answering head");
    require_labels(in.start_positions.size(), out.start_logits->shape[0], "startPositions");
    require_labels(in.end_positions.size(), out.end_logits->shape[0], "endPositions");
    const auto within = [&](std::vector<std::int32_t> positions) {  // answers outside of the text are ignored, as in transformers
      for (std::int32_t& p : positions) p = p < 0 || p >= out.start_logits->shape[1] ? ignored_label : p;
      return positions;
    };
    const auto half = [&](std::optional<Array> ModelOutput::* scores, const std::vector<std::int32_t>& positions) {
      const float weight = call.share.labels / 2;
      terms.push_back({.kind = LossTerm::Kind::cross_entropy, .scores = scores, .labels = within(positions), .weight = weight});
    };
    half(&ModelOutput::start_logits, in.start_positions);
    half(&ModelOutput::end_logits, in.end_positions);
  }
  return terms;
}

float loss_of(const LossTerm& term, ConstMatrix scores, float label_smoothing) {
  switch (term.kind) {
    case LossTerm::Kind::cross_entropy: return mean_cross_entropy(scores, term.labels, label_smoothing);
    case LossTerm::Kind::squared_error: return mean_squared_error(scores, term.targets);
    case LossTerm::Kind::binary: return binary_cross_entropy(scores, term.targets);
  }
  return 0;
}

void loss_backward_of(const LossTerm& term, float label_smoothing, Matrix scores) {
  switch (term.kind) {
    case LossTerm::Kind::cross_entropy: return mean_cross_entropy_backward(scores, term.labels, label_smoothing, term.weight, scores);
    case LossTerm::Kind::squared_error: return mean_squared_error_backward(scores, term.targets, term.weight, scores);
    case LossTerm::Kind::binary: return binary_cross_entropy_backward(scores, term.targets, term.weight, scores);
  }
}

}  // namespace

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

void compute_loss(ForwardCall& call) {
  for (const LossTerm& term : loss_terms(call)) {
    const ConstMatrix scores = (call.output.*term.scores)->matrix();
    call.output.loss = call.output.loss.value_or(0) + term.weight * loss_of(term, scores, call.label_smoothing);
  }
}

void loss_backward(ForwardCall& call) {
  std::vector<std::optional<Array> ModelOutput::*> without{&ModelOutput::logits, &ModelOutput::next_sentence_logits,
                                                           &ModelOutput::start_logits, &ModelOutput::end_logits};
  for (const LossTerm& term : loss_terms(call)) {
    loss_backward_of(term, call.label_smoothing, (call.output.*term.scores)->matrix());
    std::erase(without, term.scores);
  }
  for (const auto scores : without) {
    if (call.output.*scores) std::ranges::fill((call.output.*scores)->data, 0.f);
  }
}

}  // namespace webformer
