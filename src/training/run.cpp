#include "training/run.h"

#include <algorithm>

#include "core/error.h"

namespace webformer {

namespace {

std::int64_t divided_up(std::size_t count, std::int64_t by) { return (std::int64_t(count) + by - 1) / by; }

/// A batch cut for so many workers, none of whom gets nothing.
std::vector<TrainingSet::Group> parts_of(const TrainingSet::Group& group, int workers) {
  const std::size_t count = std::min(std::size_t(workers), group.size());
  std::vector<TrainingSet::Group> parts;
  const auto begin = [&](std::size_t part) { return group.begin() + std::ptrdiff_t(group.size() * part / count); };
  for (std::size_t i = 0; i < count; ++i) parts.emplace_back(begin(i), begin(i + 1));
  return parts;
}

void check(const RunConfig& config) {
  if (config.steps && config.epochs) throw Error(Code::invalid_argument, "steps and epochs: both found, one expected");
  if (config.streamed && config.epochs.value_or(1) > 1)
    throw Error(Code::invalid_argument, "epochs: {} found, but rows that come as a stream come once", *config.epochs);
  const RateKind kind = config.trainer.schedule.kind;
  if (config.streamed && !config.steps && (kind == RateKind::linear || kind == RateKind::cosine))
    throw Error(Code::invalid_argument, "schedule: steps is missing, which rows that come as a stream do not tell");
}

}  // namespace

TrainingRun::TrainingRun(TrainingSet data, RunConfig config) : data_(std::move(data)), config_(std::move(config)) { check(config_); }

void TrainingRun::begin(std::shared_ptr<const Model> model, std::span<const std::byte> checkpoint) {
  total_ = config_.steps;
  if (!config_.streamed) {
    closed_ = true;
    if (data_.size() == 0) throw Error(Code::invalid_argument, "rows: nothing in them to learn from");
    groups_ = data_.epoch(0);
    if (!total_) {
      total_ = 0;
      for (std::int64_t epoch = 0; epoch < config_.epochs.value_or(1); ++epoch)
        *total_ += divided_up(data_.epoch(epoch).size(), config_.accumulate);
    }
  }
  config_.trainer.schedule.total = total_.value_or(0);
  trainer_.emplace(std::move(model), config_.trainer);
  if (checkpoint.empty()) return;
  trainer_->resume(checkpoint);
  if (config_.streamed) to_pass_ = steps();
  else
    for (std::int64_t step = 0; step < steps(); ++step) advance();
}

bool TrainingRun::needs_rows() {
  if (!config_.streamed || (total_ && steps() >= *total_)) return false;
  for (;;) {
    groups_ = closed_ ? data_.epoch(0) : data_.full();
    if (groups_.empty() || (!closed_ && std::int64_t(groups_.size()) < config_.accumulate)) return !closed_;
    if (to_pass_ == 0) return false;
    --to_pass_;
    advance();
  }
}

bool TrainingRun::done() const noexcept { return (total_ && steps() >= *total_) || (config_.streamed && closed_ && data_.size() == 0); }

std::span<const TrainingSet::Group> TrainingRun::next_groups() const {
  return std::span(groups_).subspan(next_, std::min(groups_.size() - next_, std::size_t(config_.accumulate)));
}

void TrainingRun::advance() {
  if (config_.streamed) {
    std::size_t used = 0;
    for (const TrainingSet::Group& group : next_groups()) used += group.size();
    data_.drop(used);
    return;
  }
  next_ += next_groups().size();
  if (next_ < groups_.size()) return;
  next_ = 0;
  groups_ = data_.epoch(++epoch_);
}

Task<RunStep> TrainingRun::step(Workspace& workspace, Schedule& schedule) {
  if (done() || needs_rows()) throw Error(Code::internal_error, "step: there is nothing to learn from");
  RunStep result;
  std::vector<ForwardInputs> parts;
  const int workers = data_.is_of_batches() ? 1 : config_.trainer.workers;
  for (const TrainingSet::Group& group : next_groups()) {
    for (const TrainingSet::Group& part : parts_of(group, workers)) {
      Batch batch = data_.batch(epoch_, part);
      result.tokens += batch.tokens;
      parts.push_back(std::move(batch.inputs));
    }
  }
  result.epoch = epoch_;
  static_cast<TrainerStep&>(result) = co_await trainer_->step(std::move(parts), workspace, schedule);
  advance();
  co_return result;
}

}  // namespace webformer
