// The encoders that follow BERT's plan: BERT, RoBERTa and XLM-RoBERTa, DistilBERT, ELECTRA, ALBERT. They differ in names, in how positions
// are counted, in embeddings narrower than the layers, in shared layers, and in their heads.

#include "core/error.h"
#include "model/families/family.h"
#include "model/families/read.h"

namespace webformer {

namespace {

void configure_encoder(const Json& j, ModelConfig& c) {
  StackConfig& e = c.encoder;
  require(j, "is_decoder", false);
  require(j, "add_cross_attention", false);
  if (const std::string kind = j.get_or("position_embedding_type", "absolute"); kind != "absolute") {
    throw Error(Code::unsupported_model, "{}: position_embedding_type is \"{}\", only absolute is supported", j.file(), kind);
  }
  const std::int64_t heads = read_size(j, {"num_attention_heads"});
  c.kind = Kind::encoder;
  set_sizes(e, read_size(j, {"hidden_size"}), read_layers(j, {"num_hidden_layers"}), heads, heads, 0, read_size(j, {"intermediate_size"}));
  e.norm = {.kind = NormKind::layer_norm, .epsilon = read_positive(j, "layer_norm_eps", 1e-12)};
  e.activation = read_activation(j, "hidden_act", "gelu");
  e.embedding_norm = true;
  e.positions = Positions::learned;
  e.max_positions = c.context_length = read_size(j, {"max_position_embeddings"}, 512);
  e.token_types = int(read_size(j, {"type_vocab_size"}, 2, 0));
  c.lm_head_transform = c.lm_head_bias = true;
  c.head_activation = e.activation;
  c.head_norm = e.norm;
}

void configure_bert(const Json& j, ModelConfig& c) {
  configure_encoder(j, c);
  c.pooler =
      c.head == Head::none || c.head == Head::pretraining || c.head == Head::next_sentence || c.head == Head::sequence_classification;
  c.classifier_pooling = Pooling::pooled;
}

void configure_roberta(const Json& j, ModelConfig& c) {
  configure_encoder(j, c);
  c.pad_token_id = std::int32_t(read_size(j, {"pad_token_id"}, 1, 0));
  c.encoder.position_count = PositionCount::from_pad;
  c.context_length = c.encoder.max_positions - c.pad_token_id - 1;
  c.pooler = c.head == Head::none;
  c.classifier_dense = c.head == Head::sequence_classification;
  c.head_activation = c.head == Head::sequence_classification ? Activation::tanh : Activation::gelu;
}

void configure_distilbert(const Json& j, ModelConfig& c) {
  StackConfig& e = c.encoder;
  const std::int64_t heads = read_size(j, {"n_heads"}, 12);
  c.kind = Kind::encoder;
  set_sizes(e, read_size(j, {"dim"}), read_layers(j, {"n_layers"}), heads, heads, 0, read_size(j, {"hidden_dim"}));
  e.norm = {.kind = NormKind::layer_norm, .epsilon = 1e-12f};
  e.activation = read_activation(j, "activation", "gelu");
  e.embedding_norm = true;
  e.positions = Positions::learned;
  e.max_positions = c.context_length = read_size(j, {"max_position_embeddings"}, 512);
  c.lm_head_transform = c.lm_head_bias = true;
  c.head_norm = e.norm;
  c.classifier_dense = c.head == Head::sequence_classification;
  c.head_activation = c.classifier_dense ? Activation::relu : e.activation;
}

void configure_electra(const Json& j, ModelConfig& c) {
  configure_encoder(j, c);
  c.encoder.embedding_width = int(read_size(j, {"embedding_size"}, 128));
  c.encoder.embedding_projection = c.encoder.embedding_width != c.encoder.width;
  c.classifier_dense = c.head == Head::sequence_classification;
  c.head_activation = Activation::gelu;
  if (c.head == Head::pretraining) c.head = Head::none;  // the discriminator: its encoder is what people use
}

void configure_albert(const Json& j, ModelConfig& c) {
  configure_bert(j, c);
  c.encoder.embedding_width = int(read_size(j, {"embedding_size"}, 128));
  c.encoder.embedding_projection = true;
  c.encoder.distinct_layers = int(read_size(j, {"num_hidden_groups"}, 1, 1, c.encoder.layers));
  if (const std::int64_t inner = read_size(j, {"inner_group_num"}, 1); inner != 1) {
    throw Error(Code::unsupported_model, "{}: inner_group_num is {}, only 1 is supported", j.file(), inner);
  }
  if (c.head == Head::pretraining) c.head = Head::masked_lm;
}

const std::vector<WeightName> encoder_rows{{"encoder.embed.tokens", "embeddings.word_embeddings"},
                                           {"encoder.embed.positions", "embeddings.position_embeddings"},
                                           {"encoder.embed.types", "embeddings.token_type_embeddings"},
                                           {"encoder.embed.norm", "embeddings.LayerNorm"},
                                           {"encoder.#.self_attention.query", "encoder.layer.#.attention.self.query"},
                                           {"encoder.#.self_attention.key", "encoder.layer.#.attention.self.key"},
                                           {"encoder.#.self_attention.value", "encoder.layer.#.attention.self.value"},
                                           {"encoder.#.self_attention.output", "encoder.layer.#.attention.output.dense"},
                                           {"encoder.#.attention_norm", "encoder.layer.#.attention.output.LayerNorm"},
                                           {"encoder.#.ffn.up", "encoder.layer.#.intermediate.dense"},
                                           {"encoder.#.ffn.down", "encoder.layer.#.output.dense"},
                                           {"encoder.#.ffn_norm", "encoder.layer.#.output.LayerNorm"},
                                           {"heads.pooler", "pooler.dense"}};

const WeightNames bert_names{.prefixes = {"bert.", ""},
                             .rows = join_rows(encoder_rows, {{"heads.lm.transform", "cls.predictions.transform.dense"},
                                                              {"heads.lm.norm", "cls.predictions.transform.LayerNorm"},
                                                              {"heads.lm.output", "cls.predictions.decoder"},
                                                              {"heads.lm.output.bias", "cls.predictions.bias"},
                                                              {"heads.next_sentence", "cls.seq_relationship"},
                                                              {"heads.classifier.output", "classifier"},
                                                              {"heads.classifier.output", "qa_outputs"}}),
                             .ignored = {"embeddings.position_ids"}};

const WeightNames roberta_names{.prefixes = {"roberta.", ""},
                                .rows = join_rows(encoder_rows, {{"heads.lm.transform", "lm_head.dense"},
                                                                 {"heads.lm.norm", "lm_head.layer_norm"},
                                                                 {"heads.lm.output", "lm_head.decoder"},
                                                                 {"heads.lm.output.bias", "lm_head.bias"},
                                                                 {"heads.classifier.dense", "classifier.dense"},
                                                                 {"heads.classifier.output", "classifier.out_proj"},
                                                                 {"heads.classifier.output", "classifier"},
                                                                 {"heads.classifier.output", "qa_outputs"}}),
                                .ignored = {"embeddings.position_ids"}};

const WeightNames electra_names{.prefixes = {"electra.", ""},
                                .rows = join_rows(encoder_rows, {{"encoder.embed.projection", "embeddings_project"},
                                                                 {"heads.lm.transform", "generator_predictions.dense"},
                                                                 {"heads.lm.norm", "generator_predictions.LayerNorm"},
                                                                 {"heads.lm.output", "generator_lm_head"},
                                                                 {"heads.classifier.dense", "classifier.dense"},
                                                                 {"heads.classifier.output", "classifier.out_proj"},
                                                                 {"heads.classifier.output", "classifier"},
                                                                 {"heads.classifier.output", "qa_outputs"}}),
                                .ignored = {"embeddings.position_ids"}};

const WeightNames distilbert_names{.prefixes = {"distilbert.", ""},
                                   .rows = {{"encoder.embed.tokens", "embeddings.word_embeddings"},
                                            {"encoder.embed.positions", "embeddings.position_embeddings"},
                                            {"encoder.embed.norm", "embeddings.LayerNorm"},
                                            {"encoder.#.self_attention.query", "transformer.layer.#.attention.q_lin"},
                                            {"encoder.#.self_attention.key", "transformer.layer.#.attention.k_lin"},
                                            {"encoder.#.self_attention.value", "transformer.layer.#.attention.v_lin"},
                                            {"encoder.#.self_attention.output", "transformer.layer.#.attention.out_lin"},
                                            {"encoder.#.attention_norm", "transformer.layer.#.sa_layer_norm"},
                                            {"encoder.#.ffn.up", "transformer.layer.#.ffn.lin1"},
                                            {"encoder.#.ffn.down", "transformer.layer.#.ffn.lin2"},
                                            {"encoder.#.ffn_norm", "transformer.layer.#.output_layer_norm"},
                                            {"heads.lm.transform", "vocab_transform"},
                                            {"heads.lm.norm", "vocab_layer_norm"},
                                            {"heads.lm.output", "vocab_projector"},
                                            {"heads.classifier.dense", "pre_classifier"},
                                            {"heads.classifier.output", "classifier"},
                                            {"heads.classifier.output", "qa_outputs"}},
                                   .ignored = {"embeddings.position_ids"}};

const WeightNames albert_names{
    .prefixes = {"albert.", ""},
    .rows = {{"encoder.embed.tokens", "embeddings.word_embeddings"},
             {"encoder.embed.positions", "embeddings.position_embeddings"},
             {"encoder.embed.types", "embeddings.token_type_embeddings"},
             {"encoder.embed.norm", "embeddings.LayerNorm"},
             {"encoder.embed.projection", "encoder.embedding_hidden_mapping_in"},
             {"encoder.#.self_attention.query", "encoder.albert_layer_groups.#.albert_layers.0.attention.query"},
             {"encoder.#.self_attention.key", "encoder.albert_layer_groups.#.albert_layers.0.attention.key"},
             {"encoder.#.self_attention.value", "encoder.albert_layer_groups.#.albert_layers.0.attention.value"},
             {"encoder.#.self_attention.output", "encoder.albert_layer_groups.#.albert_layers.0.attention.dense"},
             {"encoder.#.attention_norm", "encoder.albert_layer_groups.#.albert_layers.0.attention.LayerNorm"},
             {"encoder.#.ffn.up", "encoder.albert_layer_groups.#.albert_layers.0.ffn"},
             {"encoder.#.ffn.down", "encoder.albert_layer_groups.#.albert_layers.0.ffn_output"},
             {"encoder.#.ffn_norm", "encoder.albert_layer_groups.#.albert_layers.0.full_layer_layer_norm"},
             {"heads.pooler", "pooler"},
             {"heads.lm.transform", "predictions.dense"},
             {"heads.lm.norm", "predictions.LayerNorm"},
             {"heads.lm.output", "predictions.decoder"},
             {"heads.lm.output.bias", "predictions.bias"},
             {"heads.classifier.output", "classifier"},
             {"heads.classifier.output", "qa_outputs"}},
    .ignored = {"embeddings.position_ids"}};

}  // namespace

const Family bert{.model_type = "bert", .defaults = R"({"pad_token_id": 0})", .configure = configure_bert, .names = bert_names};
const Family roberta{.model_type = "roberta",
                     .defaults = R"({"pad_token_id": 1, "eos_token_id": 2})",
                     .configure = configure_roberta,
                     .names = roberta_names};
const Family xlm_roberta{.model_type = "xlm-roberta",
                         .defaults = R"({"pad_token_id": 1, "eos_token_id": 2})",
                         .configure = configure_roberta,
                         .names = roberta_names};
const Family distilbert{
    .model_type = "distilbert", .defaults = R"({"pad_token_id": 0})", .configure = configure_distilbert, .names = distilbert_names};
const Family electra{.model_type = "electra", .defaults = R"({"pad_token_id": 0})", .configure = configure_electra, .names = electra_names};
const Family albert{.model_type = "albert",
                    .defaults = R"({"hidden_act": "gelu_new", "pad_token_id": 0, "eos_token_id": 3})",
                    .configure = configure_albert,
                    .names = albert_names};

}  // namespace webformer
