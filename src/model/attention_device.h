#pragma once
// Attentions that another processor does: a pass offers them and pauses, whoever drives its job does them, or leaves them.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernels/attention.h"

namespace webformer {

class AttentionDevice {
 public:
  /// What is not worth the way stays here: an attention of T queries and S keys is offered if 2TS / (T + S), which is n where both are n,
  /// is at least this. It grows as the work (T * S) does to what is sent (T + S rows). Infinite: nothing is offered.
  double threshold = std::numeric_limits<double>::infinity();

  /// Takes what is worth it of a layer's attentions, one a sequence. True if that is any; the pass then pauses. The arguments must stay.
  bool offer(std::span<const AttentionArgs> calls);

  /// What waits for whoever drives the job, by its place among the calls that were offered.
  struct Offer {
    std::size_t call;
    const AttentionArgs* args;
  };
  std::span<const Offer> offers() const noexcept { return offers_; }
  /// The output of an offer is written, and its weights if they are asked for.
  void accept(std::size_t call);
  /// No more of them will be accepted: the rest is left to the pass.
  void end_offers() noexcept { offers_.clear(); }

  /// Has a call of the last offer been accepted?
  bool did(std::size_t call) const noexcept { return call < done_.size() && done_[call]; }
  /// How many calls were accepted so far.
  std::int64_t dispatches() const noexcept { return dispatches_; }

 private:
  std::vector<Offer> offers_;
  std::vector<bool> done_;  // of each call of the last offer
  std::int64_t dispatches_ = 0;
};

}  // namespace webformer
