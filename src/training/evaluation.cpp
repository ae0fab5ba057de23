#include "training/evaluation.h"

#include "core/error.h"
#include "training/labels.h"

namespace webformer {

Evaluation::Evaluation(std::shared_ptr<const Model> model, const TrainingSet& data)
    : model_(std::move(model)), data_(data), groups_(data.epoch(0)) {
  if (groups_.empty()) throw Error(Code::invalid_argument, "validation: nothing in its rows to compare with");
}

Task<> Evaluation::step(Workspace& workspace, Schedule& schedule) {
  const ForwardInputs inputs = data_.batch(0, groups_[next_]).inputs;
  const std::int64_t labels = count_labels(*model_, inputs);
  if (labels > 0) {
    ForwardOptions options;
    if (model_->heads.lm && inputs.labels.given()) options.logits = ForwardOptions::Logits::labelled;
    const ModelOutput output = co_await forward(*model_, inputs, options, workspace, schedule);
    if (!output.loss) throw Error(Code::invalid_argument, "validation: labels are missing");
    loss_ += double(labels) * *output.loss;
    const std::optional<std::int64_t> right = count_right(*model_, inputs, output);
    right_ = right_ && right ? std::optional(*right_ + *right) : std::nullopt;
    labels_ += labels;
  }
  ++next_;
}

Evaluated Evaluation::result() const {
  if (labels_ == 0) throw Error(Code::invalid_argument, "validation: none of its labels counts");
  return {.loss = loss_ / double(labels_), .accuracy = right_ ? std::optional(double(*right_) / double(labels_)) : std::nullopt};
}

}  // namespace webformer
