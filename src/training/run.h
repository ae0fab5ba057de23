#pragma once
// A whole training: steps over the epochs of its data, from the first or from a checkpoint.

#include <optional>

#include "training/trainer.h"
#include "training/training_set.h"

namespace webformer {

struct RunConfig {
  TrainerConfig trainer;
  std::optional<std::int64_t> steps, epochs;  ///< one of them at most; none: one epoch
  std::int64_t accumulate = 1;                ///< batches of a step
  bool streamed = false;                      ///< rows come while the run goes on, and come once
};

struct RunStep : TrainerStep {
  std::int64_t epoch = 0;   ///< counted from 0
  std::int64_t tokens = 0;  ///< that were learned from
};

class TrainingRun {
 public:
  /// Rows are added to data() first. Throws invalid_argument for numbers that contradict each other.
  TrainingRun(TrainingSet data, RunConfig config);

  TrainingSet& data() noexcept { return data_; }
  /// No more rows come.
  void close() noexcept { closed_ = true; }

  /// Makes the model's trainer, from a checkpoint where there is one; not sooner do weights become f32. No more rows come of a list. Throws
  /// invalid_argument for no rows, and what Trainer does.
  void begin(std::shared_ptr<const Model> model, std::span<const std::byte> checkpoint = {});
  std::int64_t steps() const noexcept { return trainer_ ? trainer_->steps() : 0; }
  /// How many steps the run has; none, where that depends on rows to come.
  std::optional<std::int64_t> total() const noexcept { return total_; }
  /// Of a stream: the next step needs more rows than there are, or to know that there are no more. Passes over the rows of steps that a
  /// checkpoint has behind it.
  bool needs_rows();
  bool done() const noexcept;
  /// Whether an epoch ended with the step before.
  bool is_epoch_end() const noexcept { return next_ == 0; }

  /// The next step. Where it is abandoned or throws, it can be made again.
  Task<RunStep> step(Workspace& workspace, Schedule& schedule);
  std::vector<std::byte> checkpoint() { return trainer_->checkpoint(); }
  /// Takes the weights of a checkpoint; the run does not go on from there.
  void restore(std::span<const std::byte> checkpoint) { trainer_->resume(checkpoint); }

 private:
  /// The batches of the next step.
  std::span<const TrainingSet::Group> next_groups() const;
  void advance();

  TrainingSet data_;
  RunConfig config_;
  bool closed_ = false;
  std::optional<std::int64_t> total_;
  std::optional<Trainer> trainer_;
  std::int64_t epoch_ = 0;
  std::vector<TrainingSet::Group> groups_;  // of the epoch; of a stream, of the rows that wait
  std::size_t next_ = 0;                    // batches of the epoch that are behind
  std::int64_t to_pass_ = 0;                // steps of a stream that are behind, whose rows are still to come
};

}  // namespace webformer
