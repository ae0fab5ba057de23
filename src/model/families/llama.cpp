// LLaMA and those that follow its plan: Cohere, Mistral, OLMo, Qwen 2 and 3, Phi-3, SmolLM3, StableLM. RMSNorm before each sublayer, RoPE,
// SwiGLU.

#include "core/error.h"
#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

void configure_llama(const Json& j, ModelConfig& c, const RopeKeys& rope) {
  StackConfig& d = c.decoder;
  c.kind = Kind::decoder;
  const std::int64_t heads = read_size(j, {"num_attention_heads"});
  set_sizes(d, read_size(j, {"hidden_size"}), read_layers(j, {"num_hidden_layers"}), heads, read_size(j, {"num_key_value_heads"}, heads),
            read_size(j, {"head_dim"}, 0), read_size(j, {"intermediate_size"}));
  c.context_length = read_size(j, {"max_position_embeddings"});
  c.tied = j.get_or("tie_word_embeddings", false);
  d.causal = true;
  d.norm = {.kind = NormKind::rms_norm, .epsilon = read_positive(j, "rms_norm_eps", 1e-6), .bias = false};
  d.norm_place = NormPlace::pre;
  d.final_norm = true;
  d.activation = read_activation(j, "hidden_act", "silu");
  d.gated = true;
  d.query_bias = d.key_bias = d.output_bias = j.get_or("attention_bias", false);
  d.ffn_bias = j.get_or("mlp_bias", false);
  d.positions = Positions::rope;
  d.ropes = {read_rope(j, d.head_size, rope)};
  for (LayerConfig& layer : d.layer) layer.rope = 0;
  c.classifier_pooling = Pooling::last;
  c.classifier_bias = c.head != Head::sequence_classification;
}

namespace {

/// `sliding_window` on the layers that slide: those that layer_types names, else all for which `slides_by_default`.
void read_windows(const Json& j, ModelConfig& c, bool (*slides_by_default)(const Json&, int)) {
  if (!j.has("sliding_window")) return;
  const std::int64_t window = read_size(j, {"sliding_window"});
  for (int i = 0; i < c.decoder.layers; ++i) {
    if (slides(j, i, slides_by_default(j, i))) c.decoder.layer[std::size_t(i)].window = window;
  }
}

/// The same where a switch beside it turns the window on.
void read_switched_windows(const Json& j, ModelConfig& c, bool (*slides_by_default)(const Json&, int)) {
  if (j.get_or("use_sliding_window", false)) read_windows(j, c, slides_by_default);
}

bool always(const Json&, int) { return true; }
bool above_max_window_layers(const Json& j, int layer) { return layer >= j.get_or("max_window_layers", 28); }

void configure_plain(const Json& j, ModelConfig& c) { configure_llama(j, c); }

void configure_cohere(const Json& j, ModelConfig& c) {
  configure_llama(j, c, {.theta = 500000});
  StackConfig& d = c.decoder;
  c.logits_scale = read_positive(j, "logit_scale", 0.0625);
  d.norm = {.kind = NormKind::layer_norm, .epsilon = read_positive(j, "layer_norm_eps", 1e-5), .bias = false};
  d.norm_place = NormPlace::parallel;
  d.ffn_norm = false;
  d.ropes[0].layout = RopeLayout::interleaved;
  require(j, "use_qk_norm", false);  // which has other weights for each head
}

void configure_mistral(const Json& j, ModelConfig& c) {
  configure_llama(j, c);
  read_windows(j, c, always);
}

void configure_olmo(const Json& j, ModelConfig& c) {
  configure_llama(j, c);
  c.decoder.norm = {.kind = NormKind::layer_norm, .epsilon = 1e-5f, .weight = false, .bias = false};
  require_null(j, "clip_qkv");
}

void configure_qwen2(const Json& j, ModelConfig& c) {
  configure_llama(j, c);
  c.decoder.query_bias = c.decoder.key_bias = true;
  c.decoder.output_bias = false;
  read_switched_windows(j, c, above_max_window_layers);
}

void configure_qwen3(const Json& j, ModelConfig& c) {
  configure_llama(j, c);
  c.decoder.query_key_norm = true;
  read_switched_windows(j, c, above_max_window_layers);
}

void configure_phi3(const Json& j, ModelConfig& c) {
  configure_llama(j, c, {.may_be_partial = true});
  read_windows(j, c, always);
}

void configure_smollm3(const Json& j, ModelConfig& c) {
  configure_llama(j, c, {.theta = 2000000});
  const std::int64_t interval = read_size(j, {"no_rope_layer_interval"}, 4);
  const std::vector<Json> listed = j.has("no_rope_layers") ? j["no_rope_layers"].items() : std::vector<Json>{};
  for (int i = 0; i < c.decoder.layers; ++i) {
    const bool turns = std::size_t(i) < listed.size() ? listed[std::size_t(i)].get_integer() != 0 : (i + 1) % interval != 0;
    c.decoder.layer[std::size_t(i)].rope = turns ? 0 : -1;
  }
  // Without layer_types, those that do not turn have the window (as transformers 5 fills it in).
  if (!j.get_or("use_sliding_window", false) || !j.has("sliding_window")) return;
  const std::int64_t window = read_size(j, {"sliding_window"});
  for (int i = 0; i < c.decoder.layers; ++i) {
    if (slides(j, i, c.decoder.layer[std::size_t(i)].rope < 0)) c.decoder.layer[std::size_t(i)].window = window;
  }
}

void configure_stablelm(const Json& j, ModelConfig& c) {
  configure_llama(j, c, {.partial = 0.25, .may_be_partial = true});
  StackConfig& d = c.decoder;
  d.norm = {.kind = NormKind::layer_norm, .epsilon = read_positive(j, "layer_norm_eps", 1e-5), .bias = true};
  d.query_bias = d.key_bias = j.get_or("use_qkv_bias", false);
  d.output_bias = false;
  if (j.get_or("use_parallel_residual", false)) d.norm_place = NormPlace::parallel, d.ffn_norm = false;
  require(j, "qk_layernorm", false);
}

const WeightNames phi3_names{.prefixes = {"model.", ""},
                             .rows = join_rows({{"decoder.#.self_attention.query", "layers.#.self_attn.qkv_proj", Part::query},
                                                {"decoder.#.self_attention.key", "layers.#.self_attn.qkv_proj", Part::key},
                                                {"decoder.#.self_attention.value", "layers.#.self_attn.qkv_proj", Part::value},
                                                {"decoder.#.ffn.gate", "layers.#.mlp.gate_up_proj", Part::first_half},
                                                {"decoder.#.ffn.up", "layers.#.mlp.gate_up_proj", Part::second_half}},
                                               llama_names().rows),
                             .ignored = {"rotary_emb.inv_freq"}};

}  // namespace

const WeightNames& llama_names() {
  static const WeightNames names{.prefixes = {"model.", "transformer.", ""},  // the second one below question answering
                                 .rows = {{"decoder.embed.tokens", "embed_tokens"},
                                          {"decoder.#.attention_norm", "layers.#.input_layernorm"},
                                          {"decoder.#.self_attention.query", "layers.#.self_attn.q_proj"},
                                          {"decoder.#.self_attention.key", "layers.#.self_attn.k_proj"},
                                          {"decoder.#.self_attention.value", "layers.#.self_attn.v_proj"},
                                          {"decoder.#.self_attention.output", "layers.#.self_attn.o_proj"},
                                          {"decoder.#.self_attention.query_norm", "layers.#.self_attn.q_norm"},
                                          {"decoder.#.self_attention.key_norm", "layers.#.self_attn.k_norm"},
                                          {"decoder.#.ffn_norm", "layers.#.post_attention_layernorm"},
                                          {"decoder.#.ffn.gate", "layers.#.mlp.gate_proj"},
                                          {"decoder.#.ffn.up", "layers.#.mlp.up_proj"},
                                          {"decoder.#.ffn.down", "layers.#.mlp.down_proj"},
                                          {"decoder.norm", "norm"},
                                          {"heads.lm.output", "lm_head"},
                                          {"heads.classifier.output", "score"},
                                          {"heads.classifier.output", "qa_outputs"}},
                                 .ignored = {"rotary_emb.inv_freq"}};
  return names;
}

const Family llama{.model_type = "llama",
                   .defaults = R"({"max_position_embeddings": 2048, "eos_token_id": 2})",
                   .configure = configure_plain,
                   .names = llama_names()};
const Family cohere{
    .model_type = "cohere",
    .defaults = R"({"max_position_embeddings": 8192, "tie_word_embeddings": true, "pad_token_id": 0, "eos_token_id": 255001})",
    .configure = configure_cohere,
    .names = llama_names()};
const Family mistral{
    .model_type = "mistral",
    .defaults = R"({"max_position_embeddings": 131072, "num_key_value_heads": 8, "sliding_window": 4096, "eos_token_id": 2})",
    .configure = configure_mistral,
    .names = llama_names()};
const Family olmo{.model_type = "olmo",
                  .defaults = R"({"max_position_embeddings": 2048, "pad_token_id": 1, "eos_token_id": 50279})",
                  .configure = configure_olmo,
                  .names = llama_names()};
const Family qwen2{.model_type = "qwen2",
                   .defaults = R"({"max_position_embeddings": 32768, "num_key_value_heads": 32, "sliding_window": 4096})",
                   .configure = configure_qwen2,
                   .names = llama_names()};
const Family qwen3{.model_type = "qwen3",
                   .defaults = R"({"max_position_embeddings": 32768, "num_key_value_heads": 32, "head_dim": 128, "sliding_window": 4096})",
                   .configure = configure_qwen3,
                   .names = llama_names()};
const Family phi3{
    .model_type = "phi3",
    .defaults =
        R"({"max_position_embeddings": 4096, "original_max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "pad_token_id": 32000,
            "eos_token_id": 32000})",
    .configure = configure_phi3,
    .names = phi3_names};
const Family smollm3{.model_type = "smollm3",
                     .defaults =
                         R"({"max_position_embeddings": 32768, "num_key_value_heads": 4, "tie_word_embeddings": true,
            "pad_token_id": 128004, "eos_token_id": 128001})",
                     .configure = configure_smollm3,
                     .names = llama_names()};
const Family stablelm{.model_type = "stablelm",
                      .defaults = R"({"max_position_embeddings": 4096, "num_key_value_heads": 32, "eos_token_id": 0})",
                      .configure = configure_stablelm,
                      .names = llama_names()};

}  // namespace webformer
