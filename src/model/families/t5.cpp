// T5 (Raffel et al. 2020), T5 1.1, Flan-T5 and mT5: relative positions in the scores, RMSNorm, no scaling by sqrt(D), no biases.

#include <cmath>

#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

constexpr std::int64_t relative_context = 1 << 15;  // there is no table that ends; memory is what ends first

void configure_side(const Json& j, StackConfig& s, std::int64_t layers) {
  const std::int64_t heads = read_size(j, {"num_heads"});
  set_sizes(s, read_size(j, {"d_model"}), layers, heads, heads, read_size(j, {"d_kv"}), read_size(j, {"d_ff"}));
  s.attention_scale = 1;
  s.norm = {.kind = NormKind::rms_norm, .epsilon = read_positive(j, "layer_norm_epsilon", 1e-6), .bias = false};
  s.norm_place = NormPlace::pre;
  s.final_norm = true;
  s.query_bias = s.key_bias = s.output_bias = s.ffn_bias = false;
  s.positions = Positions::relative;
  s.relative_buckets = int(read_size(j, {"relative_attention_num_buckets"}, 32, 4, 1 << 16));
  s.relative_max_distance = int(read_size(j, {"relative_attention_max_distance"}, 128, s.relative_buckets / 2 + 1));
  const std::string kind = j.get_or("feed_forward_proj", "relu");
  s.gated = kind.starts_with("gated-");
  s.activation = kind == "gated-gelu" ? Activation::gelu_tanh : activation_named(j, "feed_forward_proj", s.gated ? kind.substr(6) : kind);
}

void configure(const Json& j, ModelConfig& c) {
  const std::int64_t layers = read_layers(j, {"num_layers"});
  const bool alone = c.architecture.ends_with("EncoderModel") || c.head == Head::token_classification;
  c.kind = alone ? Kind::encoder : Kind::encoder_decoder;
  c.context_length = relative_context;
  configure_side(j, c.encoder, layers);
  if (alone) return;
  configure_side(j, c.decoder, j.has("num_decoder_layers") ? read_layers(j, {"num_decoder_layers"}) : layers);
  c.decoder.causal = c.decoder.cross_attention = true;
  c.classifier_dense = c.head == Head::sequence_classification;
  c.head_activation = Activation::tanh;
  c.classifier_pooling = Pooling::last_eos;
}

void configure_t5(const Json& j, ModelConfig& c) {
  configure(j, c);
  // Since transformers 5 a key of its own says what tie_word_embeddings used to mean besides.
  if (c.tied && j.get_or("scale_decoder_outputs", true)) c.logits_scale = 1 / std::sqrt(float(c.encoder.width));
}

const WeightNames t5_names{
    .prefixes = {"", "transformer."},  // the second one below heads that classify
    .rows = {{"shared.embed.tokens", "shared"},
             {"shared.embed.tokens", "encoder.embed_tokens"},
             {"encoder.embed.tokens", "shared"},
             {"encoder.embed.tokens", "encoder.embed_tokens"},
             {"encoder.relative_bias", "encoder.block.0.layer.0.SelfAttention.relative_attention_bias"},
             {"encoder.#.attention_norm", "encoder.block.#.layer.0.layer_norm"},
             {"encoder.#.self_attention.query", "encoder.block.#.layer.0.SelfAttention.q"},
             {"encoder.#.self_attention.key", "encoder.block.#.layer.0.SelfAttention.k"},
             {"encoder.#.self_attention.value", "encoder.block.#.layer.0.SelfAttention.v"},
             {"encoder.#.self_attention.output", "encoder.block.#.layer.0.SelfAttention.o"},
             {"encoder.#.ffn_norm", "encoder.block.#.layer.1.layer_norm"},
             {"encoder.#.ffn.gate", "encoder.block.#.layer.1.DenseReluDense.wi_0"},
             {"encoder.#.ffn.up", "encoder.block.#.layer.1.DenseReluDense.wi_1"},
             {"encoder.#.ffn.up", "encoder.block.#.layer.1.DenseReluDense.wi"},
             {"encoder.#.ffn.down", "encoder.block.#.layer.1.DenseReluDense.wo"},
             {"encoder.norm", "encoder.final_layer_norm"},
             {"decoder.relative_bias", "decoder.block.0.layer.0.SelfAttention.relative_attention_bias"},
             {"decoder.#.attention_norm", "decoder.block.#.layer.0.layer_norm"},
             {"decoder.#.self_attention.query", "decoder.block.#.layer.0.SelfAttention.q"},
             {"decoder.#.self_attention.key", "decoder.block.#.layer.0.SelfAttention.k"},
             {"decoder.#.self_attention.value", "decoder.block.#.layer.0.SelfAttention.v"},
             {"decoder.#.self_attention.output", "decoder.block.#.layer.0.SelfAttention.o"},
             {"decoder.#.cross_attention_norm", "decoder.block.#.layer.1.layer_norm"},
             {"decoder.#.cross_attention.query", "decoder.block.#.layer.1.EncDecAttention.q"},
             {"decoder.#.cross_attention.key", "decoder.block.#.layer.1.EncDecAttention.k"},
             {"decoder.#.cross_attention.value", "decoder.block.#.layer.1.EncDecAttention.v"},
             {"decoder.#.cross_attention.output", "decoder.block.#.layer.1.EncDecAttention.o"},
             {"decoder.#.ffn_norm", "decoder.block.#.layer.2.layer_norm"},
             {"decoder.#.ffn.gate", "decoder.block.#.layer.2.DenseReluDense.wi_0"},
             {"decoder.#.ffn.up", "decoder.block.#.layer.2.DenseReluDense.wi_1"},
             {"decoder.#.ffn.up", "decoder.block.#.layer.2.DenseReluDense.wi"},
             {"decoder.#.ffn.down", "decoder.block.#.layer.2.DenseReluDense.wo"},
             {"decoder.norm", "decoder.final_layer_norm"},
             {"heads.lm.output", "lm_head"},
             {"heads.classifier.dense", "classification_head.dense"},
             {"heads.classifier.output", "classification_head.out_proj"},
             {"heads.classifier.output", "qa_outputs"},
             {"heads.classifier.output", "classifier"}},
    // Copies of the shared table, and a bias that old T5 files hold and no model reads.
    .ignored = {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "EncDecAttention.relative_attention_bias.weight"}};

}  // namespace

const Family t5{.model_type = "t5",
                .defaults = R"({"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0})",
                .configure = configure_t5,
                .names = t5_names};
const Family mt5{.model_type = "mt5",
                 .defaults = R"({"feed_forward_proj": "gated-gelu", "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0})",
                 .configure = configure,
                 .names = t5_names};

}  // namespace webformer
