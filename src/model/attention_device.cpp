#include "model/attention_device.h"

namespace webformer {

bool AttentionDevice::offer(std::span<const AttentionArgs> calls) {
  offers_.clear();
  done_.assign(calls.size(), false);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto queries = double(calls[i].query.rows), keys = double(calls[i].memory.length);
    if (queries > 0 && keys > 0 && 2 * queries * keys >= threshold * (queries + keys)) offers_.push_back({i, &calls[i]});
  }
  return !offers_.empty();
}

void AttentionDevice::accept(std::size_t call) {
  done_.at(call) = true;
  ++dispatches_;
}

}  // namespace webformer
