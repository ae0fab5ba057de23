#pragma once
// How the learning rate changes from step to step.

#include <cstdint>

namespace webformer {

enum class RateKind {
  constant,
  linear,  ///< up to the peak over `warmup` steps, then down to 0 at `total`
  cosine,  ///< the same, down by half a cosine (Loshchilov & Hutter 2017)
  noam,    ///< peak width^-0.5 min(s^-0.5, s warmup^-1.5) (Vaswani et al. 2017, eq. 3)
};

struct RateSchedule {
  RateKind kind = RateKind::constant;
  double peak = 1e-3;
  std::int64_t warmup = 0;
  std::int64_t total = 0;  ///< steps; of linear and cosine
  std::int64_t width = 0;  ///< C, of noam
};

/// The rate of step `step`, counted from 1. Every kind may have a warm-up.
double learning_rate(const RateSchedule& schedule, std::int64_t step) noexcept;

}  // namespace webformer
