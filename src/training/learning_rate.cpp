#include "training/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace webformer {

double learning_rate(const RateSchedule& schedule, std::int64_t step) noexcept {
  const double s = double(step), warmup = double(schedule.warmup);
  if (schedule.kind == RateKind::noam) {
    const double decayed = 1 / std::sqrt(s);
    return schedule.peak / std::sqrt(double(schedule.width)) * (warmup > 0 ? std::min(decayed, s * std::pow(warmup, -1.5)) : decayed);
  }
  if (step <= schedule.warmup) return schedule.peak * s / warmup;
  if (schedule.kind == RateKind::constant) return schedule.peak;
  const double done = std::min(1.0, (s - warmup) / std::max(1.0, double(schedule.total) - warmup));
  return schedule.peak * (schedule.kind == RateKind::linear ? 1 - done : (1 + std::cos(std::numbers::pi * done)) / 2);
}

}  // namespace webformer
