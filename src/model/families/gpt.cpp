// The decoders of the GPT line: GPT-2, GPT-NeoX, OPT, Phi, StarCoder2, BLOOM, MPT. LayerNorm with biases, a plain feed-forward.

#include <cmath>

#include "core/error.h"
#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

void configure_decoder(ModelConfig& c, float epsilon, Activation activation) {
  StackConfig& d = c.decoder;
  c.kind = Kind::decoder;
  d.causal = true;
  d.norm = {.kind = NormKind::layer_norm, .epsilon = epsilon};
  d.norm_place = NormPlace::pre;
  d.final_norm = true;
  d.activation = activation;
  c.classifier_pooling = Pooling::last;
  c.classifier_bias = c.head != Head::sequence_classification;
}

void configure_gpt2(const Json& j, ModelConfig& c) {
  const std::int64_t width = read_size(j, {"n_embd"}), heads = read_size(j, {"n_head"});
  set_sizes(c.decoder, width, read_layers(j, {"n_layer"}), heads, heads, 0, read_size(j, {"n_inner"}, 4 * width));
  configure_decoder(c, read_positive(j, "layer_norm_epsilon", 1e-5), read_activation(j, "activation_function", "gelu_new"));
  c.decoder.positions = Positions::learned;
  c.decoder.max_positions = c.context_length = read_size(j, {"n_positions", "n_ctx"}, 1024);
  if (!j.get_or("scale_attn_weights", true)) c.decoder.attention_scale = 1;
  if (j.get_or("scale_attn_by_inverse_layer_idx", false)) {
    for (std::size_t i = 0; i < c.decoder.layer.size(); ++i) c.decoder.layer[i].attention_scale = 1 / float(i + 1);
  }
  require(j, "add_cross_attention", false);
}

void configure_gpt_neox(const Json& j, ModelConfig& c) {
  StackConfig& d = c.decoder;
  const std::int64_t heads = read_size(j, {"num_attention_heads"});
  set_sizes(d, read_size(j, {"hidden_size"}), read_layers(j, {"num_hidden_layers"}), heads, heads, 0, read_size(j, {"intermediate_size"}));
  configure_decoder(c, read_positive(j, "layer_norm_eps", 1e-5), read_activation(j, "hidden_act", "gelu"));
  c.tied = j.get_or("tie_word_embeddings", false);
  c.context_length = read_size(j, {"max_position_embeddings"});
  if (j.get_or("use_parallel_residual", true)) d.norm_place = NormPlace::parallel;
  d.query_bias = d.key_bias = d.output_bias = j.get_or("attention_bias", true);
  d.positions = Positions::rope;
  d.ropes = {
      read_rope(j, d.head_size, {.theta_key = "rotary_emb_base", .partial_key = "rotary_pct", .partial = 0.25, .may_be_partial = true})};
  for (LayerConfig& layer : d.layer) layer.rope = 0;
}

void configure_opt(const Json& j, ModelConfig& c) {
  StackConfig& d = c.decoder;
  const std::int64_t width = read_size(j, {"hidden_size"}), heads = read_size(j, {"num_attention_heads"});
  set_sizes(d, width, read_layers(j, {"num_hidden_layers"}), heads, heads, 0, read_size(j, {"ffn_dim"}));
  configure_decoder(c, 1e-5f, read_activation(j, "activation_function", "relu"));
  if (!j.get_or("do_layer_norm_before", true)) d.norm_place = NormPlace::post;
  d.final_norm = d.norm_place == NormPlace::pre && !j.get_or("_remove_final_layer_norm", false);
  d.query_bias = d.key_bias = d.output_bias = d.ffn_bias = j.get_or("enable_bias", true);
  d.positions = Positions::learned;
  d.position_count = PositionCount::unmasked;
  d.position_offset = 2;
  d.max_positions = c.context_length = read_size(j, {"max_position_embeddings"}, 2048);
  d.norm.weight = d.norm.bias = j.get_or("layer_norm_elementwise_affine", true);
  d.embedding_width = int(read_size(j, {"word_embed_proj_dim"}, width));
  d.embedding_projection = d.output_projection = d.positions_after_projection = d.embedding_width != width;
  d.embedding_projection_bias = false;
}

void configure_phi(const Json& j, ModelConfig& c) {
  StackConfig& d = c.decoder;
  const std::int64_t heads = read_size(j, {"num_attention_heads"});
  set_sizes(d, read_size(j, {"hidden_size"}), read_layers(j, {"num_hidden_layers"}), heads, read_size(j, {"num_key_value_heads"}, heads), 0,
            read_size(j, {"intermediate_size"}));
  configure_decoder(c, read_positive(j, "layer_norm_eps", 1e-5), read_activation(j, "hidden_act", "gelu_new"));
  c.tied = j.get_or("tie_word_embeddings", false);
  c.context_length = read_size(j, {"max_position_embeddings"});
  c.lm_head_bias = true;
  d.norm_place = NormPlace::parallel;
  d.ffn_norm = false;
  d.positions = Positions::rope;
  d.ropes = {read_rope(j, d.head_size, {.partial = 0.5, .may_be_partial = true})};
  for (LayerConfig& layer : d.layer) layer.rope = 0;
  d.query_key_norm = j.get_or("qk_layernorm", false);
}

void configure_starcoder2(const Json& j, ModelConfig& c) {
  StackConfig& d = c.decoder;
  set_sizes(d, read_size(j, {"hidden_size"}), read_layers(j, {"num_hidden_layers"}), read_size(j, {"num_attention_heads"}),
            read_size(j, {"num_key_value_heads"}), read_size(j, {"head_dim"}, 0), read_size(j, {"intermediate_size"}));
  configure_decoder(c, read_positive(j, "norm_epsilon", 1e-5), read_activation(j, "hidden_act", "gelu_pytorch_tanh"));
  c.context_length = read_size(j, {"max_position_embeddings"});
  d.query_bias = d.key_bias = d.output_bias = d.ffn_bias = j.get_or("use_bias", true);
  d.positions = Positions::rope;
  d.ropes = {read_rope(j, d.head_size)};
  for (LayerConfig& layer : d.layer) layer.rope = 0, layer.window = read_size(j, {"sliding_window"}, 0);
}

constexpr std::int64_t alibi_context = 1 << 15;  // ALiBi has no table that ends; memory is what ends first

void configure_bloom(const Json& j, ModelConfig& c) {
  StackConfig& d = c.decoder;
  const std::int64_t width = read_size(j, {"hidden_size", "n_embed"}), heads = read_size(j, {"n_head", "num_attention_heads"});
  set_sizes(d, width, read_layers(j, {"n_layer", "num_hidden_layers"}), heads, heads, 0, 4 * width);
  configure_decoder(c, read_positive(j, "layer_norm_epsilon", 1e-5), Activation::gelu_tanh);
  c.context_length = alibi_context;
  d.embedding_norm = true;
  d.positions = Positions::alibi;
  require(j, "apply_residual_connection_post_layernorm", false);
  if (read_size(j, {"pretraining_tp"}, 1) > 1) require(j, "slow_but_exact", false);  // which leaves out biases in transformers
}

void configure_mpt(const Json& j, ModelConfig& c) {
  StackConfig& d = c.decoder;
  const std::int64_t width = read_size(j, {"d_model"}), heads = read_size(j, {"n_heads"});
  set_sizes(d, width, read_layers(j, {"n_layers"}), heads, heads, 0, width * read_size(j, {"expansion_ratio"}, 4));
  configure_decoder(c, read_positive(j, "layer_norm_epsilon", 1e-5), Activation::gelu);
  c.context_length = read_size(j, {"max_seq_len"}, 2048);
  d.norm.bias = false;
  d.query_bias = d.key_bias = d.output_bias = d.ffn_bias = false;
  d.positions = Positions::alibi;
  // What llm-foundry has and transformers reads without using, or the other way round: no number would be right for both.
  require(j, "no_bias", true);
  require_null(j, "logit_scale");
  if (const std::string norm = j.get_or("norm_type", "low_precision_layernorm"); norm != "low_precision_layernorm" && norm != "layernorm") {
    throw Error(Code::unsupported_model, "{}: norm_type is \"{}\", layernorm or low_precision_layernorm expected", j.file(), norm);
  }
  const Json attention = j["attn_config"];
  if (!attention.is_object()) return;
  require(attention, "alibi", true);
  require(attention, "qk_ln", false);
  require(attention, "prefix_lm", false);
  require_null(attention, "clip_qkv");
  if (const double bias = attention.get_or("alibi_bias_max", 8.0); bias != d.alibi_max_bias)
    throw Error(Code::unsupported_model, "{}: alibi_bias_max is {}, only {} is supported", j.file(), bias, d.alibi_max_bias);
  if (attention.has("softmax_scale")) d.attention_scale = read_positive(attention, "softmax_scale", 1);
}

const WeightNames gpt2_names{.prefixes = {"transformer.", ""},
                             .rows = add_rows(gpt2_body_rows(), {{"heads.lm.output", "lm_head"},
                                                                 {"heads.classifier.output", "score"},
                                                                 {"heads.classifier.output", "classifier"},
                                                                 {"heads.classifier.output", "qa_outputs"}}),
                             .ignored = {".attn.bias", ".attn.masked_bias"}};

const WeightNames gpt_neox_names{.prefixes = {"gpt_neox.", ""},
                                 .rows = {{"decoder.embed.tokens", "embed_in"},
                                          {"decoder.#.attention_norm", "layers.#.input_layernorm"},
                                          {"decoder.#.self_attention.query", "layers.#.attention.query_key_value", Part::interleaved_query},
                                          {"decoder.#.self_attention.key", "layers.#.attention.query_key_value", Part::interleaved_key},
                                          {"decoder.#.self_attention.value", "layers.#.attention.query_key_value", Part::interleaved_value},
                                          {"decoder.#.self_attention.output", "layers.#.attention.dense"},
                                          {"decoder.#.ffn_norm", "layers.#.post_attention_layernorm"},
                                          {"decoder.#.ffn.up", "layers.#.mlp.dense_h_to_4h"},
                                          {"decoder.#.ffn.down", "layers.#.mlp.dense_4h_to_h"},
                                          {"decoder.norm", "final_layer_norm"},
                                          {"heads.lm.output", "embed_out"},
                                          {"heads.classifier.output", "score"},
                                          {"heads.classifier.output", "classifier"},
                                          {"heads.classifier.output", "qa_outputs"}},
                                 .ignored = {".attention.bias", ".attention.masked_bias", "rotary_emb.inv_freq"}};

const WeightNames opt_names{.prefixes = {"model.decoder.", "decoder.", "model.", ""},
                            .rows = {{"decoder.embed.tokens", "embed_tokens"},
                                     {"decoder.embed.positions", "embed_positions"},
                                     {"decoder.embed.projection", "project_in"},
                                     {"decoder.output_projection", "project_out"},
                                     {"decoder.#.attention_norm", "layers.#.self_attn_layer_norm"},
                                     {"decoder.#.self_attention.query", "layers.#.self_attn.q_proj"},
                                     {"decoder.#.self_attention.key", "layers.#.self_attn.k_proj"},
                                     {"decoder.#.self_attention.value", "layers.#.self_attn.v_proj"},
                                     {"decoder.#.self_attention.output", "layers.#.self_attn.out_proj"},
                                     {"decoder.#.ffn_norm", "layers.#.final_layer_norm"},
                                     {"decoder.#.ffn.up", "layers.#.fc1"},
                                     {"decoder.#.ffn.down", "layers.#.fc2"},
                                     {"decoder.norm", "final_layer_norm"},
                                     {"heads.lm.output", "lm_head"},
                                     {"heads.classifier.output", "score"},
                                     {"heads.classifier.output", "classifier"},
                                     {"heads.classifier.output", "qa_outputs"}},
                            .ignored = {}};

const WeightNames phi_names{.prefixes = {"model.", ""},
                            .rows = {{"decoder.embed.tokens", "embed_tokens"},
                                     {"decoder.#.attention_norm", "layers.#.input_layernorm"},
                                     {"decoder.#.self_attention.query", "layers.#.self_attn.q_proj"},
                                     {"decoder.#.self_attention.key", "layers.#.self_attn.k_proj"},
                                     {"decoder.#.self_attention.value", "layers.#.self_attn.v_proj"},
                                     {"decoder.#.self_attention.output", "layers.#.self_attn.dense"},
                                     {"decoder.#.self_attention.query_norm", "layers.#.self_attn.q_layernorm"},
                                     {"decoder.#.self_attention.key_norm", "layers.#.self_attn.k_layernorm"},
                                     {"decoder.#.ffn.up", "layers.#.mlp.fc1"},
                                     {"decoder.#.ffn.down", "layers.#.mlp.fc2"},
                                     {"decoder.norm", "final_layernorm"},
                                     {"heads.lm.output", "lm_head"},
                                     {"heads.classifier.output", "score"},
                                     {"heads.classifier.output", "classifier"},
                                     {"heads.classifier.output", "qa_outputs"}},
                            .ignored = {"rotary_emb.inv_freq"}};

const WeightNames starcoder2_names{
    .prefixes = {"model.", ""},
    .rows = join_rows({{"decoder.#.ffn.up", "layers.#.mlp.c_fc"}, {"decoder.#.ffn.down", "layers.#.mlp.c_proj"}}, llama_names().rows),
    .ignored = {"rotary_emb.inv_freq"}};

const WeightNames bloom_names{.prefixes = {"transformer.", ""},
                              .rows = {{"decoder.embed.tokens", "word_embeddings"},
                                       {"decoder.embed.norm", "word_embeddings_layernorm"},
                                       {"decoder.#.attention_norm", "h.#.input_layernorm"},
                                       {"decoder.#.self_attention.query", "h.#.self_attention.query_key_value", Part::interleaved_query},
                                       {"decoder.#.self_attention.key", "h.#.self_attention.query_key_value", Part::interleaved_key},
                                       {"decoder.#.self_attention.value", "h.#.self_attention.query_key_value", Part::interleaved_value},
                                       {"decoder.#.self_attention.output", "h.#.self_attention.dense"},
                                       {"decoder.#.ffn_norm", "h.#.post_attention_layernorm"},
                                       {"decoder.#.ffn.up", "h.#.mlp.dense_h_to_4h"},
                                       {"decoder.#.ffn.down", "h.#.mlp.dense_4h_to_h"},
                                       {"decoder.norm", "ln_f"},
                                       {"heads.lm.output", "lm_head"},
                                       {"heads.classifier.output", "score"},
                                       {"heads.classifier.output", "classifier"},
                                       {"heads.classifier.output", "qa_outputs"}},
                              .ignored = {}};

const WeightNames mpt_names{.prefixes = {"transformer.", ""},
                            .rows = {{"decoder.embed.tokens", "wte"},
                                     {"decoder.#.attention_norm", "blocks.#.norm_1"},
                                     {"decoder.#.self_attention.query", "blocks.#.attn.Wqkv", Part::query},
                                     {"decoder.#.self_attention.key", "blocks.#.attn.Wqkv", Part::key},
                                     {"decoder.#.self_attention.value", "blocks.#.attn.Wqkv", Part::value},
                                     {"decoder.#.self_attention.output", "blocks.#.attn.out_proj"},
                                     {"decoder.#.ffn_norm", "blocks.#.norm_2"},
                                     {"decoder.#.ffn.up", "blocks.#.ffn.up_proj"},
                                     {"decoder.#.ffn.down", "blocks.#.ffn.down_proj"},
                                     {"decoder.norm", "norm_f"},
                                     {"heads.lm.output", "lm_head"},
                                     {"heads.classifier.output", "score"},
                                     {"heads.classifier.output", "classifier"},
                                     {"heads.classifier.output", "qa_outputs"}},
                            .ignored = {}};

}  // namespace

const std::vector<WeightName>& gpt2_body_rows() {
  static const std::vector<WeightName> rows{{"decoder.embed.tokens", "wte"},
                                            {"decoder.embed.positions", "wpe"},
                                            {"decoder.#.attention_norm", "h.#.ln_1"},
                                            {"decoder.#.self_attention.query", "h.#.attn.c_attn", Part::query, true},
                                            {"decoder.#.self_attention.key", "h.#.attn.c_attn", Part::key, true},
                                            {"decoder.#.self_attention.value", "h.#.attn.c_attn", Part::value, true},
                                            {"decoder.#.self_attention.output", "h.#.attn.c_proj", Part::whole, true},
                                            {"decoder.#.ffn_norm", "h.#.ln_2"},
                                            {"decoder.#.ffn.up", "h.#.mlp.c_fc", Part::whole, true},
                                            {"decoder.#.ffn.down", "h.#.mlp.c_proj", Part::whole, true},
                                            {"decoder.norm", "ln_f"}};
  return rows;
}

const Family gpt2{.model_type = "gpt2", .defaults = R"({"eos_token_id": 50256})", .configure = configure_gpt2, .names = gpt2_names};
const Family gpt_neox{.model_type = "gpt_neox",
                      .defaults = R"({"max_position_embeddings": 2048, "eos_token_id": 2})",
                      .configure = configure_gpt_neox,
                      .names = gpt_neox_names};
const Family opt{
    .model_type = "opt", .defaults = R"({"pad_token_id": 1, "eos_token_id": 2})", .configure = configure_opt, .names = opt_names};
const Family phi{.model_type = "phi",
                 .defaults = R"({"max_position_embeddings": 2048, "eos_token_id": 2})",
                 .configure = configure_phi,
                 .names = phi_names};
const Family starcoder2{.model_type = "starcoder2",
                        .defaults = R"({"max_position_embeddings": 4096, "num_key_value_heads": 2, "eos_token_id": 50256})",
                        .configure = configure_starcoder2,
                        .names = starcoder2_names};
const Family bloom{.model_type = "bloom", .defaults = R"({"eos_token_id": 2})", .configure = configure_bloom, .names = bloom_names};
const Family mpt{.model_type = "mpt", .configure = configure_mpt, .names = mpt_names};

}  // namespace webformer
