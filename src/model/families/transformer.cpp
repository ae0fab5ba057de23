// PyTorch's nn.Transformer and what textbooks write in its manner: the encoder-decoder of 2017, and either half of it alone. config.json
// has the names of nn.Transformer's arguments; without layers on one side, the other one is a GPT or a BERT.

#include <cmath>

#include "core/error.h"
#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

Positions read_positions(const Json& j) {
  const std::string name = j.get_or("positions", "sinusoidal");
  if (name == "sinusoidal") return Positions::sinusoidal;
  if (name == "learned") return Positions::learned;
  throw Error(Code::unsupported_model, "{}: positions is \"{}\", sinusoidal or learned expected", j.file(), name);
}

void configure_side(const Json& j, const ModelConfig& c, std::int64_t layers, StackConfig& s) {
  const std::int64_t heads = read_size(j, {"nhead"}, 8), width = read_size(j, {"d_model"}, 512);
  set_sizes(s, width, layers, heads, heads, 0, read_size(j, {"dim_feedforward"}, 2048));
  const bool bias = j.get_or("bias", true);
  s.norm = {.kind = NormKind::layer_norm, .epsilon = read_positive(j, "layer_norm_eps", 1e-5), .bias = bias};
  s.norm_place = j.get_or("norm_first", false) ? NormPlace::pre : NormPlace::post;
  s.final_norm = j.get_or("final_norm", true);
  s.activation = read_activation(j, "activation", "relu");
  s.query_bias = s.key_bias = s.output_bias = j.get_or("attention_bias", bias);
  s.ffn_bias = bias;
  s.positions = read_positions(j);
  s.max_positions = c.context_length;
  if (j.get_or("scale_embedding", s.positions == Positions::sinusoidal)) s.embedding_scale = std::sqrt(float(width));
}

void configure_transformer(const Json& j, ModelConfig& c) {
  const std::int64_t encoder_layers = read_size(j, {"num_encoder_layers"}, 6, 0, 1024);
  const std::int64_t decoder_layers = read_size(j, {"num_decoder_layers"}, 6, 0, 1024);
  if (encoder_layers + decoder_layers == 0) {
    throw Error(Code::invalid_file, "{}: num_encoder_layers and num_decoder_layers are 0, at least 1 expected in one of them", j.file());
  }
  c.kind = decoder_layers == 0 ? Kind::encoder : encoder_layers == 0 ? Kind::decoder : Kind::encoder_decoder;
  c.context_length = read_size(j, {"max_position_embeddings"}, 512);
  if (encoder_layers > 0) configure_side(j, c, encoder_layers, c.encoder);
  if (decoder_layers > 0) configure_side(j, c, decoder_layers, c.decoder);
  c.encoder.token_types = int(read_size(j, {"type_vocab_size"}, 0, 0));
  c.decoder.causal = true;
  c.decoder.cross_attention = c.kind == Kind::encoder_decoder;
  c.target_vocab_size = int(read_size(j, {"target_vocab_size"}, c.vocab_size));
  c.shared_embeddings = j.get_or("share_embeddings", c.target_vocab_size == c.vocab_size);
  c.lm_head_bias = j.get_or("output_bias", c.kind == Kind::encoder);
  c.tied = j.get_or("tie_word_embeddings", true);
  c.head_norm = c.top().norm;
  if (c.architecture.empty()) c.head = c.kind == Kind::encoder ? Head::masked_lm : Head::causal_lm;
}

// nn.TransformerEncoderLayer and nn.TransformerDecoderLayer, four linears named Wq or W_q in their place, and stacks named blocks.
const WeightNames transformer_names{
    .prefixes = {"", "transformer."},  // nn.Transformer alone, or as a part of a module (PyTorch's tutorial on translation)
    .rows = add_rows({{"shared.embed.tokens", "embedding"},
                      {"encoder.embed.tokens", "encoder.embedding"},
                      {"encoder.embed.tokens", "embedding"},
                      {"encoder.embed.tokens", "token_embedding"},
                      {"encoder.embed.tokens", "src_tok_emb.embedding"},
                      {"encoder.embed.positions", "position_embedding"},
                      {"encoder.embed.types", "segment_embedding"},
                      {"encoder.#.self_attention.query.weight", "encoder.layers.#.self_attn.in_proj_weight", Part::query},
                      {"encoder.#.self_attention.query.bias", "encoder.layers.#.self_attn.in_proj_bias", Part::query},
                      {"encoder.#.self_attention.key.weight", "encoder.layers.#.self_attn.in_proj_weight", Part::key},
                      {"encoder.#.self_attention.key.bias", "encoder.layers.#.self_attn.in_proj_bias", Part::key},
                      {"encoder.#.self_attention.value.weight", "encoder.layers.#.self_attn.in_proj_weight", Part::value},
                      {"encoder.#.self_attention.value.bias", "encoder.layers.#.self_attn.in_proj_bias", Part::value},
                      {"encoder.#.self_attention.output", "encoder.layers.#.self_attn.out_proj"},
                      {"encoder.#.self_attention.query", "encoder.layers.#.attention.Wq"},
                      {"encoder.#.self_attention.key", "encoder.layers.#.attention.Wk"},
                      {"encoder.#.self_attention.value", "encoder.layers.#.attention.Wv"},
                      {"encoder.#.self_attention.output", "encoder.layers.#.attention.Wo"},
                      {"encoder.#.self_attention.query", "blocks.#.self_attn.W_q"},
                      {"encoder.#.self_attention.key", "blocks.#.self_attn.W_k"},
                      {"encoder.#.self_attention.value", "blocks.#.self_attn.W_v"},
                      {"encoder.#.self_attention.output", "blocks.#.self_attn.W_o"},
                      {"encoder.#.attention_norm", "encoder.layers.#.norm1"},
                      {"encoder.#.attention_norm", "blocks.#.norm1"},
                      {"encoder.#.ffn.up", "encoder.layers.#.linear1"},
                      {"encoder.#.ffn.up", "encoder.layers.#.ffn.linear1"},
                      {"encoder.#.ffn.up", "blocks.#.ffn.0"},
                      {"encoder.#.ffn.down", "encoder.layers.#.linear2"},
                      {"encoder.#.ffn.down", "encoder.layers.#.ffn.linear2"},
                      {"encoder.#.ffn.down", "blocks.#.ffn.2"},
                      {"encoder.#.ffn_norm", "encoder.layers.#.norm2"},
                      {"encoder.#.ffn_norm", "blocks.#.norm2"},
                      {"encoder.norm", "encoder.norm"},
                      {"encoder.norm", "ln_f"},
                      {"decoder.embed.tokens", "decoder.embedding"},
                      {"decoder.embed.tokens", "embedding"},
                      {"decoder.embed.tokens", "token_embedding"},
                      {"decoder.embed.tokens", "tgt_tok_emb.embedding"},
                      {"decoder.embed.positions", "position_embedding"},
                      {"decoder.#.self_attention.query.weight", "decoder.layers.#.self_attn.in_proj_weight", Part::query},
                      {"decoder.#.self_attention.query.bias", "decoder.layers.#.self_attn.in_proj_bias", Part::query},
                      {"decoder.#.self_attention.key.weight", "decoder.layers.#.self_attn.in_proj_weight", Part::key},
                      {"decoder.#.self_attention.key.bias", "decoder.layers.#.self_attn.in_proj_bias", Part::key},
                      {"decoder.#.self_attention.value.weight", "decoder.layers.#.self_attn.in_proj_weight", Part::value},
                      {"decoder.#.self_attention.value.bias", "decoder.layers.#.self_attn.in_proj_bias", Part::value},
                      {"decoder.#.self_attention.output", "decoder.layers.#.self_attn.out_proj"},
                      {"decoder.#.self_attention.query", "decoder.layers.#.masked_attention.Wq"},
                      {"decoder.#.self_attention.key", "decoder.layers.#.masked_attention.Wk"},
                      {"decoder.#.self_attention.value", "decoder.layers.#.masked_attention.Wv"},
                      {"decoder.#.self_attention.output", "decoder.layers.#.masked_attention.Wo"},
                      {"decoder.#.self_attention.query", "blocks.#.attention.Wq"},
                      {"decoder.#.self_attention.key", "blocks.#.attention.Wk"},
                      {"decoder.#.self_attention.value", "blocks.#.attention.Wv"},
                      {"decoder.#.self_attention.output", "blocks.#.attention.Wo"},
                      {"decoder.#.self_attention.query", "blocks.#.self_attn.attention.W_q"},
                      {"decoder.#.self_attention.key", "blocks.#.self_attn.attention.W_k"},
                      {"decoder.#.self_attention.value", "blocks.#.self_attn.attention.W_v"},
                      {"decoder.#.self_attention.output", "blocks.#.self_attn.attention.W_o"},
                      {"decoder.#.attention_norm", "decoder.layers.#.norm1"},
                      {"decoder.#.attention_norm", "blocks.#.norm1"},
                      {"decoder.#.cross_attention.query.weight", "decoder.layers.#.multihead_attn.in_proj_weight", Part::query},
                      {"decoder.#.cross_attention.query.bias", "decoder.layers.#.multihead_attn.in_proj_bias", Part::query},
                      {"decoder.#.cross_attention.key.weight", "decoder.layers.#.multihead_attn.in_proj_weight", Part::key},
                      {"decoder.#.cross_attention.key.bias", "decoder.layers.#.multihead_attn.in_proj_bias", Part::key},
                      {"decoder.#.cross_attention.value.weight", "decoder.layers.#.multihead_attn.in_proj_weight", Part::value},
                      {"decoder.#.cross_attention.value.bias", "decoder.layers.#.multihead_attn.in_proj_bias", Part::value},
                      {"decoder.#.cross_attention.output", "decoder.layers.#.multihead_attn.out_proj"},
                      {"decoder.#.cross_attention.query", "decoder.layers.#.cross_attention.Wq"},
                      {"decoder.#.cross_attention.key", "decoder.layers.#.cross_attention.Wk"},
                      {"decoder.#.cross_attention.value", "decoder.layers.#.cross_attention.Wv"},
                      {"decoder.#.cross_attention.output", "decoder.layers.#.cross_attention.Wo"},
                      {"decoder.#.cross_attention_norm", "decoder.layers.#.norm2"},
                      {"decoder.#.ffn.up", "decoder.layers.#.linear1"},
                      {"decoder.#.ffn.up", "decoder.layers.#.ffn.linear1"},
                      {"decoder.#.ffn.up", "blocks.#.ffn.linear1"},
                      {"decoder.#.ffn.up", "blocks.#.ffn.0"},
                      {"decoder.#.ffn.down", "decoder.layers.#.linear2"},
                      {"decoder.#.ffn.down", "decoder.layers.#.ffn.linear2"},
                      {"decoder.#.ffn.down", "blocks.#.ffn.linear2"},
                      {"decoder.#.ffn.down", "blocks.#.ffn.2"},
                      {"decoder.#.ffn_norm", "decoder.layers.#.norm3"},
                      {"decoder.#.ffn_norm", "blocks.#.norm2"},
                      {"decoder.norm", "decoder.norm"},
                      {"decoder.norm", "norm"},
                      {"heads.lm.output", "lm_head"},
                      {"heads.lm.output", "output_linear"},
                      {"heads.lm.output", "generator"},
                      {"heads.lm.output.bias", "mlm_bias"},
                      {"heads.next_sentence", "nsp"},
                      {"heads.classifier.output", "classifier"}},
                     gpt2_body_rows()),
    .ignored = {"positional_encoding.pos_embedding", ".attn.bias", ".attn.masked_bias"}};

}  // namespace

const WeightNames& multi_head_names() {
  static const WeightNames names{.rows = {{"attention.query.weight", "in_proj_weight", Part::query},
                                          {"attention.key.weight", "in_proj_weight", Part::key},
                                          {"attention.value.weight", "in_proj_weight", Part::value},
                                          {"attention.query.bias", "in_proj_bias", Part::query},
                                          {"attention.key.bias", "in_proj_bias", Part::key},
                                          {"attention.value.bias", "in_proj_bias", Part::value},
                                          {"attention.query.weight", "q_proj_weight"},
                                          {"attention.key.weight", "k_proj_weight"},
                                          {"attention.value.weight", "v_proj_weight"},
                                          {"attention.output", "out_proj"},
                                          {"attention.query", "W_Q"},
                                          {"attention.key", "W_K"},
                                          {"attention.value", "W_V"},
                                          {"attention.output", "W_O"},
                                          {"attention.query", "q_proj"},
                                          {"attention.key", "k_proj"},
                                          {"attention.value", "v_proj"},
                                          {"attention.output", "o_proj"}}};
  return names;
}

const Family transformer{.model_type = "transformer", .configure = configure_transformer, .names = transformer_names};

}  // namespace webformer
