#pragma once
// One pass over a whole batch, as transformers' model(**inputs): inputs may be padded, outputs have the shapes of the inputs.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/task.h"
#include "core/workspace.h"
#include "model/attention_device.h"
#include "model/model.h"

namespace webformer {

/// [B, T] whole numbers; empty: not given.
struct IdMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> data;

  bool given() const noexcept { return !data.empty() || rows > 0; }
  std::int32_t at(std::int64_t row, std::int64_t col) const noexcept { return data[std::size_t(row * cols + col)]; }
};

/// Labels of -100 are ignored. Positions where the attention mask is 0 are not computed, unless the options ask for
/// them: rows are packed, and come back as zeros.
struct ForwardInputs {
  IdMatrix input_ids, attention_mask, token_type_ids, position_ids;
  IdMatrix decoder_input_ids, decoder_attention_mask;
  IdMatrix labels;                  ///< [B, T], or [B, 1] for one label a text
  std::vector<float> float_labels;  ///< [B, labels]: regression and multi-label classification
  std::vector<std::int32_t> next_sentence_label, start_positions, end_positions;  ///< [B]
};

struct ForwardOptions {
  bool attentions = false;
  bool hidden_states = false;
  enum class Logits {
    all,
    last,
    none,
    chosen,
    labelled,  ///< only those that the loss needs: [1, N, V], N labels that are not ignored
  } logits = Logits::all;
  std::vector<std::int32_t> positions;  ///< for Logits::chosen
  bool padding = false;                 ///< positions that the attention mask hides are computed too, as queries that nothing sees
  std::vector<std::string> trace;       ///< names of intermediate tensors; * stands for anything but a dot, {a,b} for either
  std::uint64_t memory_limit = 0;       ///< bytes that the outputs may take; 0: no limit
  AttentionDevice* device = nullptr;    ///< must outlive the task; null: none
};

/// What the model has. B batch, T query length, S key length. attentions: one a layer, [B,H,T,S]. hidden_states: L+1, [B,T,C].
struct ModelOutput {
  std::optional<Array> logits;  ///< [B,T,V], or [B, labels]
  std::optional<float> loss;
  std::optional<Array> last_hidden_state;          ///< [B,T,C], after the final norm
  std::optional<Array> pooled;                     ///< [B,C]
  std::optional<Array> start_logits, end_logits;   ///< [B,T]
  std::optional<Array> next_sentence_logits;       ///< [B,2]
  std::optional<Array> encoder_last_hidden_state;  ///< [B,S,C]
  std::vector<Array> attentions, encoder_attentions, decoder_attentions, cross_attentions;
  std::vector<Array> hidden_states, encoder_hidden_states, decoder_hidden_states;
  std::map<std::string, Array> trace;
};

/// Throws invalid_argument (shapes that do not fit, ids out of range), context_full, out_of_memory (the outputs' size is computed first),
/// numeric_error (logits that are not finite).
Task<ModelOutput> forward(const Model& model, ForwardInputs inputs, ForwardOptions options, Workspace& workspace, Schedule& schedule);

}  // namespace webformer
