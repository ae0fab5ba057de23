#pragma once
// What a forward pass carries along: scratch memory, the clock, and those who watch.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/task.h"
#include "core/tensor.h"
#include "core/workspace.h"
#include "model/attention_device.h"
#include "model/tape.h"

namespace webformer {

/// Receives intermediate tensors by name. Names: "encoder.0.self_attention.weights", "decoder.2.ffn.activation", …
/// Rows of a batch are packed, so tensors are [N, …] over all tokens, except scores and weights: one [H, T, S] a sequence.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual bool wants(std::string_view name) const = 0;
  /// `sequence` is -1 for packed tensors.
  virtual void see(std::string_view name, int sequence, const Shape& shape, const float* data) = 0;
};

struct Pass {
  Workspace& workspace;
  Schedule& schedule;
  Observer* observer = nullptr;
  Tape* tape = nullptr;               ///< null: inference; else what backward needs is kept there
  AttentionDevice* device = nullptr;  ///< null: every attention is done here

  /// A matrix that backward will read: it lives as long as the tape, or without one as the enclosing Scope.
  Matrix lasting(std::int64_t rows, std::int64_t cols) const { return tape ? tape->matrix(rows, cols) : workspace.matrix(rows, cols); }
  /// Drops a share of x, in place, if this is a training pass; `rate` is one of its tape's.
  void drop(Matrix x, float DropoutRates::* rate) const;
  bool watched() const noexcept { return observer != nullptr; }
  /// Shows a packed matrix to the observer, if it wants it. `place` is "encoder.0.ffn", `what` "activation".
  void show(std::string_view place, std::string_view what, ConstMatrix x) const;
};

/// Sequences packed one after the other: sequence b has rows begin[b] to begin[b + 1] of every [N, C] matrix.
struct Rows {
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> positions;  ///< [N]
  std::vector<std::int64_t> visible;    ///< how many of the first tokens of each sequence are keys; empty: all

  int sequences() const noexcept { return int(begin.size()) - 1; }
  std::int64_t total() const noexcept { return begin.back(); }
  std::int64_t length(int sequence) const noexcept { return begin[std::size_t(sequence) + 1] - begin[std::size_t(sequence)]; }
  /// How many of a sequence's first tokens are keys.
  std::int64_t keys(int sequence) const noexcept { return visible.empty() ? length(sequence) : visible[std::size_t(sequence)]; }
};

}  // namespace webformer
