// Gemma 1, 2 and 3 (text): LLaMA's plan with norms that multiply by 1 + weight, embeddings times sqrt(C), and from 2 on local layers.

#include <cmath>

#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

void configure_gemma(const Json& j, ModelConfig& c) {
  configure_llama(j, c);
  StackConfig& d = c.decoder;
  require(j, "use_bidirectional_attention", false);
  d.norm.weight_offset = 1;
  d.embedding_scale = std::sqrt(float(d.width));
  d.activation = read_activation(j, "hidden_activation", "gelu_pytorch_tanh");
}

void configure_gemma1(const Json& j, ModelConfig& c) {
  configure_gemma(j, c);
  if (j.has("hidden_activation")) return;
  // The first files say "gelu", and mean the approximation that they were trained with.
  const std::string name = j.get_or("hidden_act", "gelu");
  c.decoder.activation = name == "gelu" ? Activation::gelu_tanh : activation_named(j, "hidden_act", name);
}

void read_local_layers(const Json& j, ModelConfig& c, std::int64_t pattern, int local_rope) {
  const std::int64_t window = read_size(j, {"sliding_window"});
  for (int i = 0; i < c.decoder.layers; ++i) {
    if (slides(j, i, (i + 1) % pattern != 0))
      c.decoder.layer[std::size_t(i)].window = window, c.decoder.layer[std::size_t(i)].rope = local_rope;
  }
}

/// null means none.
float read_softcap(const Json& j, std::string_view key, float where_absent) {
  if (j[key].is_missing()) return where_absent;
  return j.has(key) ? read_positive(j, key, where_absent) : 0;
}

void configure_gemma2(const Json& j, ModelConfig& c) {
  configure_gemma(j, c);
  StackConfig& d = c.decoder;
  d.norm_place = NormPlace::both;
  d.attention_scale = 1 / std::sqrt(read_positive(j, "query_pre_attn_scalar", 256));
  d.attention_softcap = read_softcap(j, "attn_logit_softcapping", 50);
  c.logits_softcap = read_softcap(j, "final_logit_softcapping", 30);
  read_local_layers(j, c, 2, 0);
}

void configure_gemma3(const Json& j, ModelConfig& c) {
  configure_gemma2(j, c);
  StackConfig& d = c.decoder;
  require_null(j, "attn_logit_softcapping");  // Gemma 2's; transformers reads it without using it
  d.attention_softcap = 0;
  c.logits_softcap = read_softcap(j, "final_logit_softcapping", 0);
  d.query_key_norm = true;
  d.layer.assign(std::size_t(d.layers), {.rope = 0});
  d.ropes = {read_rope(j, d.head_size, {.layer_type = "full_attention", .theta = 1000000}),
             read_rope(j, d.head_size, {.layer_type = "sliding_attention", .theta_key = "rope_local_base_freq", .theta = 10000})};
  read_local_layers(j, c, read_size(j, {"sliding_window_pattern", "_sliding_window_pattern"}, 6), 1);
}

const WeightNames gemma2_names{.prefixes = {"model.", ""},
                               .rows = join_rows({{"decoder.#.attention_output_norm", "layers.#.post_attention_layernorm"},
                                                  {"decoder.#.ffn_norm", "layers.#.pre_feedforward_layernorm"},
                                                  {"decoder.#.ffn_output_norm", "layers.#.post_feedforward_layernorm"}},
                                                 llama_names().rows),
                               .ignored = {"rotary_emb.inv_freq"}};

}  // namespace

const Family gemma{.model_type = "gemma",
                   .defaults =
                       R"({"max_position_embeddings": 8192, "num_key_value_heads": 16, "head_dim": 256,
            "tie_word_embeddings": true, "pad_token_id": 0, "eos_token_id": 1})",
                   .configure = configure_gemma1,
                   .names = llama_names()};
const Family gemma2{.model_type = "gemma2",
                    .defaults =
                        R"({"max_position_embeddings": 8192, "num_key_value_heads": 4, "head_dim": 256, "sliding_window": 4096,
            "tie_word_embeddings": true, "pad_token_id": 0, "eos_token_id": 1})",
                    .configure = configure_gemma2,
                    .names = gemma2_names};
const Family gemma3{.model_type = "gemma3_text",
                    .defaults =
                        R"({"max_position_embeddings": 131072, "num_key_value_heads": 4, "head_dim": 256, "sliding_window": 4096,
            "tie_word_embeddings": true, "pad_token_id": 0, "eos_token_id": 1})",
                    .configure = configure_gemma3,
                    .names = gemma2_names};

}  // namespace webformer
