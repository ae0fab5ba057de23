#pragma once
// An architecture is a row: how its config.json is read, and under which names a checkpoint keeps its weights.
// To add one, see CONTRIBUTING.md.

#include <span>
#include <string_view>
#include <vector>

#include "formats/json.h"
#include "model/config.h"
#include "model/families/read.h"
#include "model/weight_plan.h"

namespace webformer {

struct Family {
  std::string_view model_type;  ///< config.json's key of that name
  /// What its config class in transformers 5 takes where config.json has no such key (null is an answer), as JSON. Only what `configure`
  /// would not take by itself; tests/fixtures/config_defaults.json has them all.
  std::string_view defaults = "{}";
  /// Sets every field that differs from ModelConfig's defaults. `model_type`, `architecture`, `head`, labels and token ids are set before.
  void (*configure)(const Json& config, ModelConfig& c);
  const WeightNames& names;
};

/// All architectures, in alphabetical order.
std::span<const Family* const> families();

/// Throws unsupported_model, with the list of those supported, for a model_type that no row has.
const Family& family_of(const Json& config);

/// config.json as a ModelConfig, checked. Throws invalid_file (the key, its value, the bound) and unsupported_model.
ModelConfig read_config(const Json& config);

// Encoders
extern const Family albert, bert, distilbert, electra, modernbert, roberta, xlm_roberta;
// Decoders
extern const Family bloom, cohere, gemma, gemma2, gemma3, gpt2, gpt_neox, llama, mistral, mpt, olmo, opt, phi, phi3, qwen2, qwen3, smollm3,
    stablelm, starcoder2;
// Encoder-decoders
extern const Family bart, m2m100, marian, mbart, mt5, pegasus, t5;
// Either, or both
extern const Family transformer;

// What other rows are made from.
void configure_llama(const Json& config, ModelConfig& c, const RopeKeys& rope = {});
const WeightNames& llama_names();
/// One multi-head attention, as "attention": nn.MultiheadAttention, the same with widths of its own for keys and values, and four linears
/// as textbooks and LLaMA name them.
const WeightNames& multi_head_names();
/// GPT-2's embeddings, layers and last norm, as transformers names them.
const std::vector<WeightName>& gpt2_body_rows();
/// Both lists, whose names stand beside each other.
std::vector<WeightName> add_rows(std::vector<WeightName> first, const std::vector<WeightName>& second);
/// Both lists, but what the first one names is not looked for under the names of the second.
std::vector<WeightName> join_rows(std::vector<WeightName> first, const std::vector<WeightName>& second);

}  // namespace webformer
