#include "support/tiny_models.h"

#include "core/random.h"
#include "model/loader.h"

namespace webformer::test {

const std::vector<TinyModel>& generating_models() {
  static const std::vector<TinyModel> models{
      {"llama, grouped heads",
       R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 400,
        "initializer_range": 0.3})"},
      {"mistral, sliding window",
       R"({"model_type": "mistral", "architectures": ["MistralForCausalLM"], "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 1, "intermediate_size": 48, "max_position_embeddings": 400,
        "sliding_window": 5, "initializer_range": 0.3})"},
      {"gemma2, soft caps and four norms",
       R"({"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "vocab_size": 50, "hidden_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 48,
        "max_position_embeddings": 400, "sliding_window": 6, "attn_logit_softcapping": 5.0, "final_logit_softcapping": 8.0,
        "query_pre_attn_scalar": 8, "initializer_range": 0.3})"},
      {"gpt2, learned positions",
       R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 50, "n_embd": 32, "n_layer": 2, "n_head": 4,
        "n_positions": 400, "initializer_range": 0.3})"},
      {"gpt_neox, parallel",
       R"({"model_type": "gpt_neox", "architectures": ["GPTNeoXForCausalLM"], "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 400, "initializer_range": 0.3})"},
      {"opt, an embedding narrower than the layers",
       R"({"model_type": "opt", "architectures": ["OPTForCausalLM"], "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "ffn_dim": 48, "max_position_embeddings": 400, "word_embed_proj_dim": 20, "initializer_range": 0.3})"},
      {"olmo, norms without weights",
       R"({"model_type": "olmo", "architectures": ["OlmoForCausalLM"], "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 48, "max_position_embeddings": 400,
        "initializer_range": 0.3})"},
      {"bloom, ALiBi",
       R"({"model_type": "bloom", "architectures": ["BloomForCausalLM"], "vocab_size": 50, "hidden_size": 30, "n_layer": 2, "n_head": 3,
        "initializer_range": 0.3})"},
      {"t5, relative bias",
       R"({"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "vocab_size": 50, "d_model": 32, "d_kv": 8, "d_ff": 48,
        "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0, "pad_token_id": 0, "relative_attention_max_distance": 24,
        "initializer_range": 0.3})"},
      {"marian, sinusoids",
       R"({"model_type": "marian", "architectures": ["MarianMTModel"], "vocab_size": 50, "d_model": 32, "encoder_layers": 2,
        "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48,
        "max_position_embeddings": 400, "scale_embedding": true, "pad_token_id": 49, "decoder_start_token_id": 49, "init_std": 0.3})"},
      {"m2m_100, positions from the padding id",
       R"({"model_type": "m2m_100", "architectures": ["M2M100ForConditionalGeneration"], "vocab_size": 50,
        "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 400, "pad_token_id": 1,
        "decoder_start_token_id": 2, "init_std": 0.3})"},
      {"cohere, scaled logits and norms without biases",
       R"({"model_type": "cohere", "architectures": ["CohereForCausalLM"], "vocab_size": 50, "hidden_size": 30, "num_hidden_layers": 2,
        "num_attention_heads": 3, "intermediate_size": 48, "max_position_embeddings": 400, "logit_scale": 0.5,
        "initializer_range": 0.3})"}};
  return models;
}

const std::vector<TinyModel>& labelling_models() {
  static const std::vector<TinyModel> models{
      {"bert, masked words and next sentence",
       R"({"model_type": "bert", "architectures": ["BertForPreTraining"], "vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 40, "type_vocab_size": 2,
        "initializer_range": 0.3})"},
      {"albert, shared layers and a projected embedding",
       R"({"model_type": "albert", "architectures": ["AlbertForMaskedLM"], "vocab_size": 50, "hidden_size": 32, "embedding_size": 16,
        "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 40,
        "initializer_range": 0.3})"},
      {"bert, classes of texts",
       R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"], "vocab_size": 50, "hidden_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 40,
        "id2label": {"0": "a", "1": "b", "2": "c"}, "initializer_range": 0.3})"},
      {"roberta, numbers of texts",
       R"({"model_type": "roberta", "architectures": ["RobertaForSequenceClassification"], "vocab_size": 50, "hidden_size": 32,
        "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 40, "pad_token_id": 1,
        "id2label": {"0": "a"}, "initializer_range": 0.3})"},
      {"modernbert, classes of words",
       R"({"model_type": "modernbert", "architectures": ["ModernBertForTokenClassification"], "vocab_size": 50, "hidden_size": 32,
        "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 40, "local_attention": 6,
        "global_attn_every_n_layers": 2, "id2label": {"0": "a", "1": "b", "2": "c"}, "initializer_range": 0.3})"},
      {"distilbert, answers",
       R"({"model_type": "distilbert", "architectures": ["DistilBertForQuestionAnswering"], "vocab_size": 50, "dim": 32, "n_layers": 2,
        "n_heads": 4, "hidden_dim": 48, "max_position_embeddings": 40, "initializer_range": 0.3})"}};
  return models;
}

std::shared_ptr<const Model> make_model(std::string_view config, std::uint64_t seed) {
  const JsonDocument document = JsonDocument::parse(config, "config.json");
  ModelLoader loader(document.root(), WeightPolicy::f32);
  loader.randomize(seed);
  return loader.finish();
}

std::vector<std::int32_t> random_ids(int count, int first, int vocab, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  for (std::int32_t& id : ids) id = first + std::int32_t(random.below(std::uint32_t(vocab - first)));
  return ids;
}

}  // namespace webformer::test
