#include "core/task.h"

namespace webformer {

bool JobCore::run(Schedule& schedule, TaskPromise& root, Schedule::Clock::duration budget) {
  const bool unlimited = budget == Schedule::Clock::duration::max();
  schedule.deadline_ = unlimited ? Schedule::Clock::time_point::max() : Schedule::Clock::now() + budget;
  TaskPromise* at = std::exchange(schedule.stopped_at_, nullptr);
  if (!at) at = &root;  // the first step
  while (true) {
    at->self.resume();
    if (schedule.stopped_at_) return false;
    if (at == &root) return true;
    at = at->parent;
  }
}

}  // namespace webformer
