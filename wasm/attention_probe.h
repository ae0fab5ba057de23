#pragma once
// One attention of random numbers, for the GPU to be checked and timed against the kernel of this module.

#include <emscripten/val.h>

#include <cstdint>
#include <vector>

#include "core/workspace.h"
#include "kernels/attention.h"

namespace webformer {

class AttentionProbe {
 public:
  /// Causal over `length` queries and keys. `everything`: with a mask, window, biases of every kind and softcap as well, and the weights.
  AttentionProbe(int heads, int kv_heads, int head_size, int length, bool everything);

  /// Where its arguments are, as a job's step() gives them.
  emscripten::val args() const;
  /// Runs the kernel.
  emscripten::val run();
  /// The largest difference between what run() made and what was written to the output and weights of args(). NaN where that has one.
  double difference() const;

 private:
  std::vector<float> query_, keys_, values_, slopes_, relative_, bias_;
  std::vector<std::uint8_t> mask_;
  std::vector<float> output_, weights_;      // what others write
  std::vector<float> expected_, expected_weights_;
  const float* blocks_[2];
  AttentionArgs args_;
  Workspace workspace_;
};

}  // namespace webformer
