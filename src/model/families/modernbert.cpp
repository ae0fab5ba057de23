#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

void configure(const Json& j, ModelConfig& c) {
  StackConfig& e = c.encoder;
  const std::int64_t heads = read_size(j, {"num_attention_heads"});
  c.kind = Kind::encoder;
  set_sizes(e, read_size(j, {"hidden_size"}), read_layers(j, {"num_hidden_layers"}), heads, heads, 0, read_size(j, {"intermediate_size"}));
  c.context_length = read_size(j, {"max_position_embeddings"});
  e.norm = {.kind = NormKind::layer_norm, .epsilon = read_positive(j, "norm_eps", 1e-5), .bias = j.get_or("norm_bias", false)};
  e.norm_place = NormPlace::pre;
  e.embedding_norm = e.final_norm = true;
  e.activation = read_activation(j, "hidden_activation", "gelu");
  e.gated = true;
  e.query_bias = e.key_bias = e.output_bias = j.get_or("attention_bias", false);
  e.ffn_bias = j.get_or("mlp_bias", false);
  e.positions = Positions::rope;
  e.ropes = {read_rope(j, e.head_size, {.layer_type = "full_attention", .theta_key = "global_rope_theta", .theta = 160000}),
             read_rope(j, e.head_size, {.layer_type = "sliding_attention", .theta_key = "local_rope_theta", .theta = 10000})};
  const std::int64_t every = read_size(j, {"global_attn_every_n_layers"}, 3), width = read_size(j, {"local_attention"}, 128);
  for (int i = 0; i < e.layers; ++i) {
    const bool local = slides(j, i, i % every != 0);
    e.layer[std::size_t(i)] = {.window = local ? width / 2 + 1 : 0, .rope = local ? 1 : 0, .attention_norm = i > 0};
  }
  c.lm_head_transform = true;
  c.lm_head_bias = j.get_or("decoder_bias", true);
  c.lm_head_transform_bias = c.classifier_dense_bias = j.get_or("classifier_bias", false);
  c.head_activation = read_activation(j, "classifier_activation", "gelu");
  c.head_norm = e.norm;
  c.classifier_dense = c.classifier_norm = true;
  c.classifier_pooling = j.get_or("classifier_pooling", "cls") == "mean" ? Pooling::mean : Pooling::first;
}

const WeightNames names{.prefixes = {"model.", ""},
                        .rows = {{"encoder.embed.tokens", "embeddings.tok_embeddings"},
                                 {"encoder.embed.norm", "embeddings.norm"},
                                 {"encoder.#.attention_norm", "layers.#.attn_norm"},
                                 {"encoder.#.self_attention.query", "layers.#.attn.Wqkv", Part::query},
                                 {"encoder.#.self_attention.key", "layers.#.attn.Wqkv", Part::key},
                                 {"encoder.#.self_attention.value", "layers.#.attn.Wqkv", Part::value},
                                 {"encoder.#.self_attention.output", "layers.#.attn.Wo"},
                                 {"encoder.#.ffn_norm", "layers.#.mlp_norm"},
                                 {"encoder.#.ffn.gate", "layers.#.mlp.Wi", Part::first_half},
                                 {"encoder.#.ffn.up", "layers.#.mlp.Wi", Part::second_half},
                                 {"encoder.#.ffn.down", "layers.#.mlp.Wo"},
                                 {"encoder.norm", "final_norm"},
                                 {"heads.lm.transform", "head.dense"},
                                 {"heads.lm.norm", "head.norm"},
                                 {"heads.lm.output", "decoder"},
                                 {"heads.classifier.dense", "head.dense"},
                                 {"heads.classifier.norm", "head.norm"},
                                 {"heads.classifier.output", "classifier"}},
                        .ignored = {}};

}  // namespace

const Family modernbert{.model_type = "modernbert",
                        .defaults = R"({"max_position_embeddings": 8192, "pad_token_id": 50283, "eos_token_id": 50282})",
                        .configure = configure,
                        .names = names};

}  // namespace webformer
