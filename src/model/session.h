#pragma once
// A running model: weights shared with others, a key-value cache of its own. Decoding drives it, one step at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/task.h"
#include "core/tensor.h"
#include "core/workspace.h"
#include "model/attention_device.h"
#include "model/kv_cache.h"
#include "model/memory.h"
#include "model/model.h"

namespace webformer {

/// Tokens to be read by one sequence.
struct Feed {
  int sequence;
  std::span<const std::int32_t> ids;
};

class Session {
 public:
  /// max_length: the longest sequence, in tokens; 0 or more than the model's context: the model's context.
  Session(std::shared_ptr<const Model> model, std::int64_t max_length = 0);

  const Model& model() const noexcept { return *model_; }
  std::int64_t max_length() const noexcept { return max_length_; }
  Workspace& workspace() noexcept { return workspace_; }
  /// Long attentions of the following steps are offered to this device, which must outlive them; null: none.
  void use(AttentionDevice* device) noexcept { device_ = device; }
  /// Bytes of the workspace and of the key-value pages that are held.
  std::size_t bytes() const noexcept;

  /// Encoder-decoder models: runs the encoder over `sources` (one sequence of ids each) and keeps the keys and values of cross-attention.
  /// Replaces what was encoded before; sequences that refer to it must be released first. Throws context_full, invalid_argument.
  Task<> encode(std::vector<std::vector<std::int32_t>> sources, Schedule& schedule);

  /// A new empty sequence; for encoder-decoder models it looks at source `source`.
  int add_sequence(int source = 0);
  /// A sequence with the same past, which shares its pages until one of them grows.
  int fork(int sequence);
  void release(int sequence) noexcept;
  void release_all() noexcept;
  /// How many tokens a sequence has read.
  std::int64_t length(int sequence) const;
  /// Forgets all but the first `length` tokens.
  void truncate(int sequence, std::int64_t length);

  /// Reads the tokens of each feed after what its sequence has read, and returns the logits of each feed's last token: [feeds, V].
  /// The result is valid until the next step. Long prompts are read in chunks, with a chance to stop after each layer.
  /// Abandoned or failed, the step leaves every sequence as it was. Throws context_full, out_of_memory, numeric_error (logits not finite).
  Task<Matrix> step(std::vector<Feed> feeds, Schedule& schedule);

 private:
  /// Reads one chunk; where a feed's last token is in it, its logits go to the row of `logits` that `rows` names (-1: not yet).
  Task<> read(std::span<const Feed> chunk, std::span<const std::int64_t> rows, Schedule& schedule);
  void check(const std::vector<Feed>& feeds) const;

  std::shared_ptr<const Model> model_;
  std::int64_t max_length_;
  Workspace workspace_;
  KvCache cache_;
  Memory memory_;
  std::vector<int> sources_;  // of each sequence
  Array logits_;
  AttentionDevice* device_ = nullptr;
};

}  // namespace webformer
