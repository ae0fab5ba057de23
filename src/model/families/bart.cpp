// The encoder-decoders of the fairseq line: BART, mBART, Marian, M2M100 (and NLLB), Pegasus. One table of names; they differ in the place
// of the norms and in the kind of positions.

#include <cmath>

#include "core/error.h"
#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

void configure_side(const Json& j, StackConfig& s, const std::string& side) {
  const std::string heads_key = side + "_attention_heads", layers_key = side + "_layers", inner_key = side + "_ffn_dim";
  const std::int64_t heads = read_size(j, {heads_key});
  set_sizes(s, read_size(j, {"d_model"}), read_layers(j, {layers_key}), heads, heads, 0, read_size(j, {inner_key}));
  s.norm = {.kind = NormKind::layer_norm, .epsilon = 1e-5f};
  s.activation = read_activation(j, "activation_function", "gelu");
  if (j.get_or("scale_embedding", false)) s.embedding_scale = std::sqrt(float(s.width));
}

void configure_both(const Json& j, ModelConfig& c) {
  if (c.architecture.ends_with("ForCausalLM"))
    throw Error(Code::unsupported_model, "{}: architectures[0] is \"{}\", a decoder without its encoder is not supported", j.file(),
                c.architecture);
  c.kind = Kind::encoder_decoder;
  c.shared_embeddings = c.tied;
  c.context_length = read_size(j, {"max_position_embeddings"}, 1024);
  configure_side(j, c.encoder, "encoder");
  configure_side(j, c.decoder, "decoder");
  c.decoder.causal = c.decoder.cross_attention = true;
  c.lm_head_bias = c.head == Head::causal_lm;
  c.classifier_dense = c.head == Head::sequence_classification;
  c.head_activation = Activation::tanh;
  c.classifier_pooling = Pooling::last_eos;
}

void learned_positions(ModelConfig& c) {
  for (StackConfig* s : {&c.encoder, &c.decoder}) {
    s->positions = Positions::learned;
    s->position_offset = 2;
    s->max_positions = c.context_length;
    s->embedding_norm = true;
  }
}

void sinusoidal_positions(ModelConfig& c, SinusoidLayout layout) {
  for (StackConfig* s : {&c.encoder, &c.decoder}) {
    s->positions = Positions::sinusoidal;
    s->sinusoid = layout;
  }
}

void norms_before(ModelConfig& c) {
  for (StackConfig* s : {&c.encoder, &c.decoder}) {
    s->norm_place = NormPlace::pre;
    s->final_norm = true;
  }
}

void configure_bart(const Json& j, ModelConfig& c) {
  configure_both(j, c);
  learned_positions(c);
}

void configure_mbart(const Json& j, ModelConfig& c) {
  configure_bart(j, c);
  norms_before(c);
  c.starts_with_last = true;
}

void configure_marian(const Json& j, ModelConfig& c) {
  configure_both(j, c);
  sinusoidal_positions(c, SinusoidLayout::halves);
  c.target_vocab_size = int(read_size(j, {"decoder_vocab_size"}, c.vocab_size));
  c.shared_embeddings = c.tied && j.get_or("share_encoder_decoder_embeddings", true);
}

void configure_m2m100(const Json& j, ModelConfig& c) {
  configure_both(j, c);
  sinusoidal_positions(c, SinusoidLayout::halves_m2m);
  norms_before(c);
  c.encoder.position_count = c.decoder.position_count = PositionCount::from_pad;
  c.lm_head_bias = false;
}

void configure_pegasus(const Json& j, ModelConfig& c) {
  configure_both(j, c);
  sinusoidal_positions(c, SinusoidLayout::halves);
  norms_before(c);
}

const WeightNames bart_names{
    .prefixes = {"model.", ""},
    .rows = {{"shared.embed.tokens", "shared"},
             {"shared.embed.tokens", "encoder.embed_tokens"},
             {"shared.embed.tokens", "decoder.embed_tokens"},
             {"encoder.embed.tokens", "encoder.embed_tokens"},
             {"encoder.embed.tokens", "shared"},
             {"encoder.embed.positions", "encoder.embed_positions"},
             {"encoder.embed.norm", "encoder.layernorm_embedding"},
             {"encoder.#.self_attention.query", "encoder.layers.#.self_attn.q_proj"},
             {"encoder.#.self_attention.key", "encoder.layers.#.self_attn.k_proj"},
             {"encoder.#.self_attention.value", "encoder.layers.#.self_attn.v_proj"},
             {"encoder.#.self_attention.output", "encoder.layers.#.self_attn.out_proj"},
             {"encoder.#.attention_norm", "encoder.layers.#.self_attn_layer_norm"},
             {"encoder.#.ffn.up", "encoder.layers.#.fc1"},
             {"encoder.#.ffn.down", "encoder.layers.#.fc2"},
             {"encoder.#.ffn_norm", "encoder.layers.#.final_layer_norm"},
             {"encoder.norm", "encoder.layer_norm"},
             {"decoder.embed.tokens", "decoder.embed_tokens"},
             {"decoder.embed.tokens", "shared"},
             {"decoder.embed.positions", "decoder.embed_positions"},
             {"decoder.embed.norm", "decoder.layernorm_embedding"},
             {"decoder.#.self_attention.query", "decoder.layers.#.self_attn.q_proj"},
             {"decoder.#.self_attention.key", "decoder.layers.#.self_attn.k_proj"},
             {"decoder.#.self_attention.value", "decoder.layers.#.self_attn.v_proj"},
             {"decoder.#.self_attention.output", "decoder.layers.#.self_attn.out_proj"},
             {"decoder.#.attention_norm", "decoder.layers.#.self_attn_layer_norm"},
             {"decoder.#.cross_attention.query", "decoder.layers.#.encoder_attn.q_proj"},
             {"decoder.#.cross_attention.key", "decoder.layers.#.encoder_attn.k_proj"},
             {"decoder.#.cross_attention.value", "decoder.layers.#.encoder_attn.v_proj"},
             {"decoder.#.cross_attention.output", "decoder.layers.#.encoder_attn.out_proj"},
             {"decoder.#.cross_attention_norm", "decoder.layers.#.encoder_attn_layer_norm"},
             {"decoder.#.ffn.up", "decoder.layers.#.fc1"},
             {"decoder.#.ffn.down", "decoder.layers.#.fc2"},
             {"decoder.#.ffn_norm", "decoder.layers.#.final_layer_norm"},
             {"decoder.norm", "decoder.layer_norm"},
             {"heads.lm.output", "lm_head"},
             {"heads.lm.output.bias", "final_logits_bias"},
             {"heads.classifier.dense", "classification_head.dense"},
             {"heads.classifier.output", "classification_head.out_proj"},
             {"heads.classifier.output", "qa_outputs"}},
    // Copies of the shared table, and sinusoids, which are computed.
    .ignored = {"embed_positions.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "final_logits_bias"}};

}  // namespace

const Family bart{.model_type = "bart",
                  .defaults = R"({"pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2})",
                  .configure = configure_bart,
                  .names = bart_names};
const Family mbart{
    .model_type = "mbart", .defaults = R"({"pad_token_id": 1, "eos_token_id": 2})", .configure = configure_mbart, .names = bart_names};
const Family marian{.model_type = "marian",
                    .defaults = R"({"pad_token_id": 58100, "eos_token_id": 0, "decoder_start_token_id": 58100})",
                    .configure = configure_marian,
                    .names = bart_names};
const Family m2m100{
    .model_type = "m2m_100",
    .defaults =
        R"({"activation_function": "relu", "scale_embedding": true, "pad_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 2})",
    .configure = configure_m2m100,
    .names = bart_names};
const Family pegasus{.model_type = "pegasus",
                     .defaults = R"({"pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0})",
                     .configure = configure_pegasus,
                     .names = bart_names};

}  // namespace webformer
