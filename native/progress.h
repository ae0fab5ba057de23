#pragma once
// How far a run is: a bar in one line of a terminal, or else a line now and then.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "training/evaluation.h"
#include "training/run.h"

namespace webformer {

class ProgressLine {
 public:
  /// `made`: steps that are behind, `total`: of so many.
  ProgressLine(std::int64_t made, std::int64_t total);
  ~ProgressLine() { end(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const RunStep& step, double tokens_per_second, const std::optional<Evaluated>& validated);
  /// Leaves the line of a terminal, so that others can write.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t made_, total_;
  bool is_terminal_;
  bool open_ = false;  // something stands in the line
  Clock::time_point start_ = Clock::now(), shown_ = {};
  std::string validation_;
};

}  // namespace webformer
