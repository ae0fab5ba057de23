#pragma once
// The loss curve of a run as a CSV file, a line a step.

#include <filesystem>
#include <fstream>
#include <optional>

#include "training/evaluation.h"
#include "training/run.h"

namespace webformer {

class LossCurve {
 public:
  /// Goes on with the file where it has steps up to `steps`; later ones, which a kill made of no use, are dropped.
  LossCurve(std::filesystem::path path, std::int64_t steps);

  void add(const RunStep& step, double tokens_per_second, const std::optional<Evaluated>& validated);
  /// The least validation loss in the file so far.
  std::optional<double> best() const noexcept { return best_; }

 private:
  void note(double validation_loss);

  std::filesystem::path path_;
  std::ofstream file_;
  std::optional<double> best_;
};

}  // namespace webformer
