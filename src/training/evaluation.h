#pragma once
// How well a model does on data that it does not learn from.

#include <memory>
#include <optional>

#include "training/training_set.h"

namespace webformer {

struct Evaluated {
  double loss = 0;  ///< mean over all labels
  /// Share of the labels that the model holds for the likeliest; of answers, those right from start to end. None, where labels are no
  /// choice.
  std::optional<double> accuracy;
};

/// Goes once over the data, batch by batch. Noise is the same each time.
class Evaluation {
 public:
  /// The data outlives this. Throws invalid_argument where it is empty.
  Evaluation(std::shared_ptr<const Model> model, const TrainingSet& data);

  bool done() const noexcept { return next_ == groups_.size(); }
  /// The next batch. Throws what forward() throws.
  Task<> step(Workspace& workspace, Schedule& schedule);
  /// Throws invalid_argument where no label counted.
  Evaluated result() const;

 private:
  std::shared_ptr<const Model> model_;
  const TrainingSet& data_;
  std::vector<TrainingSet::Group> groups_;
  std::size_t next_ = 0;
  double loss_ = 0;
  std::int64_t labels_ = 0;
  std::optional<std::int64_t> right_ = 0;
};

}  // namespace webformer
