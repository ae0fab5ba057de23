#pragma once
// One layer, or a stack of layers, by itself: made from the options and weights of PyTorch's module of that name.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json.h"
#include "model/stack.h"

namespace webformer {

/// Sequences of a batch have one length. B batch, T query length, S key length, C width.
struct LayerInputs {
  Array x;                                ///< [B, T, C]; ids of an embedding: [B, T, 1]
  std::optional<Array> key, value;        ///< [B, S, C_k], [B, S, C_v]: attention looks at these; the key is a decoder's memory
  std::vector<std::uint8_t> mask;         ///< [B, T, T], or [B, T, S] with a key alone; empty: all is visible
  std::vector<std::uint8_t> memory_mask;  ///< [B, T, S]
  std::vector<std::uint8_t> source_mask;  ///< [B, S, S], of a transformer's encoder
  bool causal = false;                    ///< for x looking at itself
};

class LayerPiece {
 public:
  /// kind: as JavaScript has it. options: checked by JavaScript, by the names of models/families/transformer.cpp where it has them.
  LayerPiece(std::string_view kind, const Json& options);

  WeightPlan& plan() noexcept { return *plan_; }
  /// "output", and "weights" of attention, [B, H, T, S], or "memory" of a transformer. Throws invalid_argument for shapes that do not fit,
  /// out_of_memory.
  Task<std::map<std::string, Array>> forward(LayerInputs inputs, Workspace& workspace, Schedule& schedule) const;

 private:
  void declare_attention(const Json& options);
  void declare_stack(Stack& stack, std::string name, const StackConfig& config, bool final_norm);
  void check(const LayerInputs& inputs) const;
  void look_up(const Array& ids, Matrix out) const;
  Task<> attend(const LayerInputs& inputs, Matrix out, std::map<std::string, Array>& results, Pass& pass) const;
  Task<> run(const Stack& stack, StackPass call, Matrix x, Pass& pass) const;
  Task<> decode(const LayerInputs& inputs, Matrix x, std::map<std::string, Array>& results, Pass& pass) const;

  std::string kind_;
  WeightNames names_;
  std::optional<WeightPlan> plan_;
  int width_ = 0;      // of x
  int out_width_ = 0;  // of the output
  int key_width_ = 0, value_width_ = 0;
  int inner_ = 0;  // F
  Linear linear_;
  Norm norm_;
  Embedding embedding_;
  Array table_;  // of positions
  FeedForward ffn_;
  Attention attention_;
  StackConfig attention_config_;
  std::optional<Stack> encoder_, decoder_;
};

}  // namespace webformer
